#!/usr/bin/env node
// The executable: the command line in, the exit code out.
import { terminalIo } from './io.js';
import { run } from './program.js';

process.exitCode = await run(process.argv.slice(2), terminalIo());
