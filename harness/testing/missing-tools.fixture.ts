// Prints the missing tools before `npm run test:all`.
import { describeTool, missingTools } from './tools.fixture.ts'

if (missingTools.length > 0) process.stdout.write(`Missing: ${missingTools.map(describeTool).join(', ')}\n`)
