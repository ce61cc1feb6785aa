// Imported before anything else: says in words that this Node.js is too old, instead of failing somewhere later.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `✗ Headway needs Node.js 20.19 or newer, and this is ${process.versions.node}. Install a newer one and run the command again.`,
  );
  process.exit(1);
}
