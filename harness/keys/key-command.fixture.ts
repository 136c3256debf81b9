// A key command for tests: logs its arguments to the file KEY_LOG and prints fake keys. KEY_FAULT selects a fault.
import { appendFileSync, readFileSync } from 'node:fs'

const [action = '', ...rest] = process.argv.slice(2)
const log = process.env['KEY_LOG'] ?? ''
const fault = process.env['KEY_FAULT']

if (fault === `${action}-hangs`) setInterval(() => {}, 1000)
else if (fault === `${action}-fails`) {
  process.stderr.write('first line\nthe store is unreachable\n')
  process.exitCode = 1
} else if (fault === 'talkative') process.stdout.write('x'.repeat(1_000_000))
else if (fault === 'no-json') process.stdout.write('svc_sk_printed-all-the-same')
else if (action === 'create') {
  const number =
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('create')).length + 1
  appendFileSync(log, `create key_${number} ${rest.join(' ')}\n`)
  // Slow enough to interrupt a run with a pending key.
  if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 700))
  process.stdout.write(
    `${JSON.stringify({ id: `key_${number}`, secret: `svc_sk_${'k'.repeat(42)}${number}` })}\n`,
  )
} else appendFileSync(log, `revoke ${rest.join(' ')}\n`)
