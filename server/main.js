// The entry of the server.
import { startProgram } from '../harness/cli/start-program.js'

await startProgram(async () => (await import('./start.ts')).start(process.argv.slice(2)))
