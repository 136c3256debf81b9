// Edits of one answer of an archive, plain or streamed, for tests.
import { at, isRecord, listAt } from '../../../harness/json-value.ts'
import { type Entry, type Json, askedBy, editAnswer } from './live-archive.fixture.ts'

/** Whether an entry is a completion or a stream. */
export const isSuccess = (entry: Entry): boolean =>
  entry.response.status === 200 && askedBy(entry)['model'] !== undefined

/** Edits the message or the delta of each choice that has this member. */
export function editMembers(
  entry: Entry,
  name: string,
  edit: (value: unknown, holder: Json) => unknown,
): Entry {
  return editAnswer(entry, (body) => {
    for (const choice of listAt(body, 'choices')) {
      const holder = at(choice, 'message') ?? at(choice, 'delta')
      if (isRecord(holder) && (holder[name] ?? null) !== null)
        Object.assign(holder, { [name]: edit(holder[name], holder) })
    }
    return body
  })
}

/** Replaces the whole text of each choice: a stream has it in one delta. */
export function editText(entry: Entry, edit: (text: string) => string): Entry {
  const texts = new Map<unknown, string>()
  const collect = (body: Json): Json => {
    for (const choice of listAt(body, 'choices')) {
      const text = at(choice, 'message', 'content') ?? at(choice, 'delta', 'content')
      const index = at(choice, 'index')
      if (typeof text === 'string') texts.set(index, (texts.get(index) ?? '') + text)
    }
    return body
  }
  editAnswer(entry, collect)
  return editAnswer(entry, (body) => {
    for (const choice of listAt(body, 'choices')) {
      const holder = at(choice, 'message') ?? at(choice, 'delta')
      const index = at(choice, 'index')
      if (!isRecord(holder) || typeof holder['content'] !== 'string' || holder['content'] === '') continue
      Object.assign(holder, { content: texts.has(index) ? edit(texts.get(index) ?? '') : '' })
      texts.delete(index)
    }
    return body
  })
}

/** Edits the whole arguments of each call. */
export function editArguments(entry: Entry, edit: (text: string) => string): Entry {
  let whole = ''
  const calls = (body: Json): readonly unknown[] =>
    ['message', 'delta'].flatMap((holder) =>
      listAt(body, 'choices').flatMap((choice) => listAt(choice, holder, 'tool_calls')),
    )
  editAnswer(entry, (body) => {
    whole += calls(body)
      .map((call) => String(at(call, 'function', 'arguments') ?? ''))
      .join('')
    return body
  })
  let isDone = false
  return editAnswer(entry, (body) => {
    for (const call of calls(body)) {
      const described = at(call, 'function')
      if (isRecord(described)) Object.assign(described, { arguments: isDone ? '' : edit(whole) })
      isDone = true
    }
    return body
  })
}
