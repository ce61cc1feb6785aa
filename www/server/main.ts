/** `npm run serve`: the workbench and its agent service until Ctrl+C. */
import { readOptions } from "./options.ts";
import { startService } from "./service.ts";

try {
  const service = await startService(readOptions(process.env));
  console.log(`Headway workbench: ${service.url}`);
  let closing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // The second Ctrl+C means now.
      if (closing) process.exit(1);
      closing = true;
      void service.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(code === "EADDRINUSE" ? `Port ${process.env.PORT} is taken; set PORT to another one.` : message);
  process.exitCode = 1;
}
