// Verifies the bundle that `workerData` names, and posts what `verify-runs.ts` reads.
import { parentPort, workerData } from 'node:worker_threads'
import { verifyFile } from './verify-runs.ts'

void verifyFile(String(workerData)).then((verified) => parentPort?.postMessage(verified, []))
