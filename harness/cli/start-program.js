// Starts a program if this Node can run it; otherwise prints one line and sets exit code 2. Compiled code is cached, which
// halves the time of all starts but the first. JavaScript, so that nothing has to be compiled before that.
import module from 'node:module'
import { join } from 'node:path'
import { nodeProblem } from './node-version.js'

/**
 * @param {() => Promise<unknown>} load imports the program; no static import may be of a file that an old Node cannot load
 * @returns {Promise<void>}
 */
export async function startProgram(load) {
  if (nodeProblem !== undefined) {
    console.error(nodeProblem)
    process.exitCode = 2
    return
  }
  // By the environment, so that the processes which this one starts do the same.
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
    // Exit code 1 of the judge is a verdict, and of Node any error.
    console.error(error)
    process.exitCode = 2
  }
}
