// Starts a program if this Node can run it; otherwise prints one line and sets exit code 2. Compiled code is cached, which
// halves the time of all starts but the first. JavaScript, so that nothing has to be compiled before that.
import module from 'node:module'
import { join } from 'node:path'
import { nodeProblem } from './node-version.js'

/**
 * @param {() => Promise<unknown>} load imports the program; static imports must load in an old Node too
 * @returns {Promise<void>}
 */
export async function startProgram(load) {
  if (nodeProblem !== undefined) {
    console.error(nodeProblem)
    process.exitCode = 2
    return
  }
  // Set in the environment, so that child processes use the cache too.
  process.env['NODE_COMPILE_CACHE'] ??= join(
    import.meta.dirname,
    '..',
    '..',
    'node_modules',
    '.cache',
    'compiled',
  )
  module.enableCompileCache(process.env['NODE_COMPILE_CACHE'])
  try {
    await load()
  } catch (error) {
    // The exit code is not 1, as Node sets it, because that is a verdict of the judge.
    console.error(error)
    process.exitCode = 2
  }
}
