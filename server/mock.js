// The entry of the server as a mock, for the tests of programs that call such a service.
import { startProgram } from '../harness/cli/start-program.js'

await startProgram(async () => (await import('./start-mock.ts')).startMock(process.argv.slice(2)))
