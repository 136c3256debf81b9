// The one accepted form of the Authorization header: a valid key in every other form is refused (AUTH-2), with the code
// that fits (AUTH-4).
import { expectEverywhere, requireAcceptedKey } from './every-endpoint.ts'
import { type Case, type CaseContext, type Variants, checkEach } from '../../case.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { refused, status } from '../../../../../harness/verify/verify.ts'
import { type Endpoint, modelList } from '../requests/endpoints.ts'
import { fakeKey } from '../requests/failing.ts'

/**
 * The value of the header with a valid key in it. `behindBearer` is what follows `Bearer`: a key, which is then malformed
 * and not missing, or a key and more.
 */
const forms: Variants<[value: (key: string) => string, behindBearer?: 'key' | 'key and more']> = {
  'lower-case-bearer': ['`bearer`', (key) => `bearer ${key}`],
  'upper-case-bearer': ['`BEARER`', (key) => `BEARER ${key}`],
  'two-spaces': ['two spaces', (key) => `Bearer  ${key}`, 'key'],
  tab: ['a tab for the space', (key) => `Bearer\t${key}`],
  'space-and-tab': ['a space and a tab', (key) => `Bearer \t${key}`, 'key'],
  'no-space': ['no space', (key) => `Bearer${key}`],
  colon: ['a colon after Bearer', (key) => `Bearer: ${key}`],
  'quoted-key': ['a key in quotes', (key) => `Bearer "${key}"`, 'key'],
  'single-quoted-key': ['a key in single quotes', (key) => `Bearer '${key}'`, 'key'],
  'quoted-value': ['the whole value in quotes', (key) => `"Bearer ${key}"`],
  'bearer-twice': ['`Bearer` twice', (key) => `Bearer Bearer ${key}`, 'key'],
  'key-and-word': ['a word after the key', (key) => `Bearer ${key} x`, 'key and more'],
  'key-list': ['a list of two', (key) => `Bearer ${key}, Bearer ${key}`, 'key and more'],
  'bare-key': ['a bare key', (key) => key],
  'token-scheme': ['the scheme `Token`', (key) => `Token ${key}`],
  'api-key-scheme': ['the scheme `ApiKey`', (key) => `ApiKey ${key}`],
  'key-behind-basic': ['the key after `Basic`', (key) => `Basic ${key}`],
  'bearer-alone': ['`Bearer` with nothing after it', () => 'Bearer'],
  'empty-header': ['an empty header', () => ''],
}

/** A service that cuts keys to their length accepts a longer key in any form, which AUTH-8 judges. */
async function requireWholeKey(t: CaseContext, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  const longer = await t.send({ ...endpoint.request(t), authorization: `Bearer ${t.target.key}x` })
  if (longer.response.status === exchange.response.status)
    t.inconclusive('the service ignores the text after a key, with or without a space (AUTH-8)')
}

const refusedForms = checkEach('auth.*', 'AUTH-2', '*', forms).run(async (t, value, behindBearer) => {
  const due = refused(401, { type: 'authentication_error' })
  await expectEverywhere(t, value(t.target.key), due, async (endpoint, exchange) => {
    if (behindBearer === 'key and more' && exchange.response.status !== 401)
      await requireWholeKey(t, endpoint, exchange)
  })
  await requireAcceptedKey(t)
})

const refusalCodes = checkEach('auth.*-code', 'AUTH-4', 'the code of the refusal: *', forms).run(
  async (t, value, behindBearer) => {
    const exchange = await t.send({ ...modelList.request(t), authorization: value(t.target.key) })
    const { status } = exchange.response
    if (status !== 401) t.notApplicable(`the answer is ${status}, not 401`)
    const code = behindBearer ? 'invalid_api_key' : ['invalid_api_key', 'missing_api_key']
    t.expect(exchange, refused(401, { code }))
  },
)

/** The values of two lines, one of them with a wrong key; of either a service may read the first or the last. */
const pairs: Variants<[values: (right: string, wrong: string) => readonly string[]]> = {
  'same-line-twice': ['the same `Authorization` line twice', (right) => [right, right]],
  'wrong-line-after': ['a second `Authorization` line, with a wrong key', (right, wrong) => [right, wrong]],
  'wrong-line-before': ['a first `Authorization` line, with a wrong key', (right, wrong) => [wrong, right]],
}

const twoLines = checkEach('auth.*', 'AUTH-2', '*', pairs).run(async (t, values) => {
  const wrong = `Bearer ${fakeKey(t.seed, 'two lines')}`
  const authorization = values(`Bearer ${t.target.key}`, wrong)
  await expectEverywhere(t, authorization, status(401, 400), async (endpoint, { response }) => {
    if (response.status === 401 || response.status === 400) return
    const { status: due } = (await t.send({ ...endpoint.request(t), authorization: wrong })).response
    if (due < 300) t.inconclusive(`${endpoint.title} accepts a wrong key (AUTH-1)`)
    if (due === response.status) t.inconclusive(`a wrong key is answered with ${due} (AUTH-4)`)
  })
  await requireAcceptedKey(t)
})

export const headerFormCases: readonly Case[] = [...refusedForms, ...twoLines, ...refusalCodes]
