/** The entry of the process: the command line on its arguments, environment and streams. */
import { runCommandLine } from './command-line.ts';

const { argv, env, stdin, stdout, stderr } = process;
const exitCode = await runCommandLine(argv.slice(2), { env, stdin, stdout, stderr });
// A started host keeps running, and may already have set a failure code.
if (exitCode !== 0) process.exitCode = exitCode;
