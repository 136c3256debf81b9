// Runs a program of this project that is TypeScript: `node harness/cli/run.js PROGRAM ARGUMENTS`.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startProgram } from './start-program.js'

// The program finds its arguments in the usual place.
process.argv.splice(1, 1)
const program = resolve(process.argv[1] ?? '')
process.argv[1] = program
await startProgram(() => import(pathToFileURL(program).href))
