#!/usr/bin/env node
// The judge's command line. Compiled code is cached, which halves the start of all runs but the first;
// JavaScript, so that nothing has to be compiled before that.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// By the environment, so that the processes which this one starts do the same.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled')
enableCompileCache(process.env['NODE_COMPILE_CACHE'])
await import('./cli/judge-command.ts')
