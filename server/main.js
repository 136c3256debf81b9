// The entry of the server.
import { startProgram } from '../harness/cli/start-program.js'

await startProgram(() => import('./start.ts'))
