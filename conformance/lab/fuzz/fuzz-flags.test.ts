import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { readOptions } from './fuzz-flags.ts'
import { openTarget } from './fuzz-target.ts'
import { readAttack } from './violations.ts'

test.each([
  [['--seconds', '0'], /^--seconds: expected a whole number/],
  [['--seed', '-1'], /--seed/],
  [['--base-url', 'http://127.0.0.1:1'], /^--base-url: expected --model too$/],
  [['--key', 'svc_sk_abcdefgh'], /^unknown option '--key'/],
  [['svc_sk_abcdefghijkl'], /^(?!.*abcdefghijkl)too many arguments/],
])('refuses %j in one line', (args, message) => {
  expect(() => readOptions(args)).toThrow(message)
  expect(() => readOptions(args)).not.toThrow(/\n/)
})

test('a service other than the reference server needs two keys', async () => {
  const options = readOptions(['--base-url', 'http://127.0.0.1:1', '--model', 'm'])
  const opened = openTarget(
    options,
    { CONFORMANCE_API_KEY: 'a' },
    createRedactor(),
    new AbortController().signal,
  )
  await expect(opened).rejects.toThrow(/CONFORMANCE_SECOND_KEY/)
})

test.each(['', '{}', '{"kind":"a","pieces":[{}]}'])('the file %j is not an attack', (text) => {
  const file = join(temporaryFolder(), 'attack.json')
  writeFileSync(file, text)
  expect(() => readAttack(file)).toThrow(/^--replay: /)
  expect(() => readAttack(file)).not.toThrow(/\n/)
})
