/** How the tests start Chromium: the one of this machine, as root too, and speaking to nobody but the test. */

export const executablePath = process.env.HEADWAY_CHROMIUM ?? "/usr/bin/chromium";

export const args = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
  "--disable-sync",
];
