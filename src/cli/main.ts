#!/usr/bin/env node
// The executable: the command line in, the exit code out.
import { terminalIo } from './io.js';
import { run } from './program.js';

const code = await run(process.argv.slice(2), terminalIo());
// Node's test runner, which `plugin test` uses, may have said already that a test failed.
process.exitCode ||= code;
