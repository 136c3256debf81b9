// The one accepted form of the Authorization header: a valid key in every other form is refused (AUTH-2), with the code
// that fits (AUTH-4).
import { expectEverywhere, requireAcceptedKey } from './every-endpoint.ts'
import { type Case, type CaseContext, check } from '../../runner/case.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { refused, status } from '../../../harness/verify/verify.ts'
import { type Endpoint, modelList } from '../requests/endpoints.ts'
import { fakeKey } from '../requests/fake.ts'

interface HeaderForm {
  readonly title: string
  /** The header's value, with this valid key in it. */
  value(key: string): string
  /** The text after `Bearer`, if any: a key, which is then malformed and not missing, or a key and more. */
  readonly behindBearer?: 'key' | 'key and more'
}

const forms: Readonly<Record<string, HeaderForm>> = {
  'lower-case-bearer': { title: '`bearer`', value: (key) => `bearer ${key}` },
  'upper-case-bearer': { title: '`BEARER`', value: (key) => `BEARER ${key}` },
  'two-spaces': { title: 'two spaces', value: (key) => `Bearer  ${key}`, behindBearer: 'key' },
  tab: { title: 'a tab for the space', value: (key) => `Bearer\t${key}` },
  'space-and-tab': { title: 'a space and a tab', value: (key) => `Bearer \t${key}`, behindBearer: 'key' },
  'no-space': { title: 'no space', value: (key) => `Bearer${key}` },
  colon: { title: 'a colon after Bearer', value: (key) => `Bearer: ${key}` },
  'quoted-key': { title: 'a key in quotes', value: (key) => `Bearer "${key}"`, behindBearer: 'key' },
  'single-quoted-key': {
    title: 'a key in single quotes',
    value: (key) => `Bearer '${key}'`,
    behindBearer: 'key',
  },
  'quoted-value': { title: 'the whole value in quotes', value: (key) => `"Bearer ${key}"` },
  'bearer-twice': { title: '`Bearer` twice', value: (key) => `Bearer Bearer ${key}`, behindBearer: 'key' },
  'key-and-word': {
    title: 'a word after the key',
    value: (key) => `Bearer ${key} x`,
    behindBearer: 'key and more',
  },
  'key-list': {
    title: 'a list of two',
    value: (key) => `Bearer ${key}, Bearer ${key}`,
    behindBearer: 'key and more',
  },
  'bare-key': { title: 'a bare key', value: (key) => key },
  'token-scheme': { title: 'the scheme `Token`', value: (key) => `Token ${key}` },
  'api-key-scheme': { title: 'the scheme `ApiKey`', value: (key) => `ApiKey ${key}` },
  'key-behind-basic': { title: 'the key after `Basic`', value: (key) => `Basic ${key}` },
  'bearer-alone': { title: '`Bearer` with nothing after it', value: () => 'Bearer' },
  'empty-header': { title: 'an empty header', value: () => '' },
}

/** A service that cuts keys to their length accepts a longer key in any form, which AUTH-8 judges. */
async function requireWholeKey(t: CaseContext, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  const longer = await t.send({ ...endpoint.request(t), authorization: `Bearer ${t.target.key}x` })
  if (longer.response.status === exchange.response.status)
    t.inconclusive('the service ignores the text after a key, with or without a space (AUTH-8)')
}

const refusedForms: readonly Case[] = Object.entries(forms).map(([slug, { title, value, behindBearer }]) =>
  check(`auth.${slug}`, 'AUTH-2', title).run(async (t) => {
    const authorization = value(t.target.key)
    const due = refused(401, { type: 'authentication_error' })
    await expectEverywhere(t, authorization, due, async (endpoint, exchange) => {
      if (behindBearer === 'key and more' && exchange.response.status !== 401)
        await requireWholeKey(t, endpoint, exchange)
    })
    await requireAcceptedKey(t)
  }),
)

const refusalCodes: readonly Case[] = Object.entries(forms).map(([slug, { title, value, behindBearer }]) =>
  check(`auth.${slug}-code`, 'AUTH-4', `the code of the refusal: ${title}`).run(async (t) => {
    const exchange = await t.send({ ...modelList.request(t), authorization: value(t.target.key) })
    const { status } = exchange.response
    if (status !== 401) t.notApplicable(`the answer is ${status}, not 401`)
    const code = behindBearer ? 'invalid_api_key' : ['invalid_api_key', 'missing_api_key']
    t.expect(exchange, refused(401, { code }))
  }),
)

/** The values of two lines, one of them with a wrong key; of either a service may read the first or the last. */
const pairs: Readonly<
  Record<string, readonly [title: string, values: (right: string, wrong: string) => readonly string[]]>
> = {
  'same-line-twice': ['the same `Authorization` line twice', (right) => [right, right]],
  'wrong-line-after': ['a second `Authorization` line, with a wrong key', (right, wrong) => [right, wrong]],
  'wrong-line-before': ['a first `Authorization` line, with a wrong key', (right, wrong) => [wrong, right]],
}

const twoLines: readonly Case[] = Object.entries(pairs).map(([slug, [title, values]]) =>
  check(`auth.${slug}`, 'AUTH-2', title).run(async (t) => {
    const wrong = `Bearer ${fakeKey(t.seed, slug)}`
    const authorization = values(`Bearer ${t.target.key}`, wrong)
    await expectEverywhere(t, authorization, status(401, 400), async (endpoint, { response }) => {
      if (response.status === 401 || response.status === 400) return
      const { status: due } = (await t.send({ ...endpoint.request(t), authorization: wrong })).response
      if (due < 300) t.inconclusive(`${endpoint.title} accepts a wrong key (AUTH-1)`)
      if (due === response.status) t.inconclusive(`a wrong key is answered with ${due} (AUTH-4)`)
    })
    await requireAcceptedKey(t)
  }),
)

export const headerFormCases: readonly Case[] = [...refusedForms, ...twoLines, ...refusalCodes]
