// The entry. What is compiled is kept, which halves the time of all starts but the first.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'))
await import('./serve.ts')
