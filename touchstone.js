#!/usr/bin/env node
// The one command of the project: the first word names a program, and every other word is the judge's.
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { PROGRAMS } from './harness/cli/programs.js'
import { startProgram } from './harness/cli/start-program.js'

const [name = ''] = process.argv.slice(2)
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
if (program !== undefined) process.argv.splice(2, 1)
const file = program?.file ?? 'conformance/cli.js'
// A package contains JavaScript alone.
const isPackage = /[\\/]node_modules[\\/]/.test(import.meta.dirname)
const path = join(import.meta.dirname, isPackage ? file.replace(/\.ts$/, '.js') : file)
process.argv[1] = path
await startProgram(() => import(pathToFileURL(path).href))
