// How a script stops: one sentence that says what is wrong and what to do, and no stack trace that says neither.

/** Something that the reader can put right; the message tells how. */
export class Failure extends Error {}

/** Runs a script's main function and turns what it throws into an exit code. */
export async function main(body) {
  try {
    const code = await body();
    process.exitCode = typeof code === "number" ? code : 0;
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof Failure) console.error(`\n✗ ${error.message}`);
    else console.error(error);
  }
}
