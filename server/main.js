// The entry. Compiled code is cached, which halves the time of all starts but the first. JavaScript, so that nothing has
// to be compiled before that: the TypeScript compiler takes longer to load than this server.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// The environment sets it, so that the processes which this one starts do the same.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled')
enableCompileCache(process.env['NODE_COMPILE_CACHE'])
await import('./start.ts')
