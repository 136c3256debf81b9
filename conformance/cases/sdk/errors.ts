// The library's error classes: one for each status of a refusal (SDK-1).
import OpenAI from 'openai'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { at } from '../../../harness/verify/json-value.ts'
import { fakeKey, fakeWord } from '../requests/fake.ts'
import { client, describe, question, throwOwn } from './client.ts'

interface ErrorClass {
  readonly slug: string
  readonly title: string
  readonly status: number
  readonly type: abstract new (...args: never[]) => Error
  call(t: CaseContext): Promise<unknown>
}

const errorClasses: readonly ErrorClass[] = [
  {
    slug: 'bad-request-error',
    title: 'no messages',
    status: 400,
    type: OpenAI.BadRequestError,
    call: async (t) => client(t).chat.completions.create({ model: t.target.model, messages: [] }),
  },
  {
    slug: 'authentication-error',
    title: 'an unknown key',
    status: 401,
    type: OpenAI.AuthenticationError,
    call: async (t) => client(t, fakeKey(t.seed, 'library')).chat.completions.create(await question(t)),
  },
  {
    slug: 'not-found-error',
    title: 'an unknown model',
    status: 404,
    type: OpenAI.NotFoundError,
    call: async (t) =>
      client(t).chat.completions.create({ ...(await question(t)), model: fakeWord(t.seed, 'library') }),
  },
]

/** Returns the error of a call. Not applicable if the answer has another status, which other rows judge. */
async function thrownBy(t: CaseContext, { status, call }: ErrorClass): Promise<unknown> {
  try {
    await call(t)
  } catch (error) {
    throwOwn(t, error)
    const got = at(error, 'status')
    if (typeof got === 'number' && got !== status)
      t.notApplicable(`the answer has status ${got}, not ${status}`)
    return error
  }
  t.notApplicable(`the call is not refused with ${status}`)
}

export const errorClassCases: readonly Case[] = errorClasses.map((errorClass) =>
  defineCase(
    `sdk.${errorClass.slug}`,
    'SDK-1',
    `the error class of ${errorClass.title}`,
    async (t: CaseContext) => {
      const error = await thrownBy(t, errorClass)
      const right = error instanceof errorClass.type
      t.assert(right, { expected: errorClass.type.name, actual: describe(error) })
    },
  ),
)
