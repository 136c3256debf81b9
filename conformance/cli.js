#!/usr/bin/env node
// The judge's command line.
import { startProgram } from '../harness/cli/start-program.js'

await startProgram(async () => (await import('./cli/judge-command.ts')).judge())
