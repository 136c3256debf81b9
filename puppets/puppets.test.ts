// The proof of the puppets, before one judges an engine: llama.cpp says each script of each family byte for byte and token by
// token, at any temperature, alone and eight at once.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServerWithKey } from '../harness/reference-server.fixture.ts'
import { type Puppet, puppetSchema } from '../spec/schemas/puppet.ts'
import { FAMILIES } from './families.ts'
import { readTemplates } from './templates.ts'
import { writePuppet } from './write-puppet.ts'

/** A template for families whose own one node-llama-cpp does not follow. */
const PLAIN = `{% for message in messages %}{{ message['content'] + '\\n¶' }}{% endfor %}`

const folder = mkdtempSync(join(tmpdir(), 'touchstone-'))
let server: Awaited<ReturnType<typeof startServerWithKey>>

beforeAll(async () => {
  const templates = readTemplates(undefined)
  for (const family of FAMILIES)
    writePuppet(family, family.hasForeignTemplate ? () => PLAIN : templates, folder)
  const models = FAMILIES.map(({ name }) => `puppet-${name}=${join(folder, `puppet-${name}.gguf`)}`)
  server = await startServerWithKey({
    LLAMA_MODELS: models.join(','),
    LLAMA_LOAD: 'use',
    LLAMA_SLOTS: '8',
    LLAMA_CONTEXT: '4096',
  })
})

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const puppetOf = (name: string): Puppet =>
  puppetSchema.parse(JSON.parse(readFileSync(join(folder, `puppet-${name}.json`), 'utf8')))

/** The tokens that the model says, and the reason for the end. */
async function say(model: string, messages: readonly object[], temperature: number) {
  const response = await fetch(`${server.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, temperature, logprobs: true }),
  })
  const body = (await response.json()) as Completion
  const [choice] = body.choices ?? []
  if (choice === undefined) throw new Error(`${response.status} ${JSON.stringify(body)}`)
  return {
    tokens: choice.logprobs.content.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
    reason: choice.finish_reason,
  }
}

interface Completion {
  readonly choices?: readonly {
    readonly finish_reason: string
    readonly logprobs: { readonly content: readonly { readonly bytes: readonly number[] }[] }
  }[]
}

const user = (content: string) => [{ role: 'user', content }]
/** A token as a binary string. */
const bytesOf = (piece: Puppet['scripts'][number]['pieces'][number]): string =>
  (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)).toString('latin1')

/** Those that each run of the tests tries; the others are slow together. */
const SAMPLE = new Set(['qwen3', 'deepseek-r1'])

const tagsOf = (name: string) => (SAMPLE.has(name) ? ['llama' as const] : ['llama' as const, 'slow' as const])

for (const { name } of FAMILIES)
  describe(`the puppet ${name}`, { tags: tagsOf(name) }, () => {
    test('says each script, at temperature 0 and 1, alone and eight at once', async () => {
      const { model, scripts } = puppetOf(name)
      for (const { raw, pieces } of scripts)
        expect(Buffer.from(pieces.map(bytesOf).join(''), 'latin1').toString()).toBe(raw)
      for (const { prompt, pieces } of scripts) {
        const answer = await say(model, user(`Please: ${prompt}`), 0)
        expect([prompt, answer]).toEqual([prompt, { tokens: pieces.map(bytesOf), reason: 'stop' }])
      }
      for (let at = 0; at < scripts.length; at += 8) {
        const some = scripts.slice(at, at + 8)
        const answers = await Promise.all(some.map(({ prompt }) => say(model, user(prompt), 1)))
        expect(answers).toEqual(some.map(({ pieces }) => ({ tokens: pieces.map(bytesOf), reason: 'stop' })))
      }
    })

    test('obeys the last user message, and says so if none names a script', async () => {
      const { model, scripts } = puppetOf(name)
      const [first, second] = scripts
      if (first === undefined || second === undefined) throw new Error('a puppet has scripts')
      const messages = [
        ...user(first.prompt),
        { role: 'assistant', content: first.raw },
        ...user(second.prompt),
      ]
      expect((await say(model, messages, 1)).tokens).toEqual(second.pieces.map(bytesOf))
      const unnamed = await say(model, user('Hello'), 0)
      expect(unnamed.tokens.join('')).toMatch(/^This model is a puppet; .* scripts\.$/)
    })
  })
