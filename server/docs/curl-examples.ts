// Examples: command lines, JSON bodies and event streams.
import { html } from 'hono/html'
import { encodeRecord } from '../../spec/protocol/sse.ts'
import type { ExampleObject, OperationObject, ReferenceObject } from 'openapi3-ts/oas31'
import { curlCommand } from '../pages/curl-command.ts'
import type { Html } from '../../harness/html/document.ts'

/** An operation with its id, method and path. */
export interface NamedOperation extends OperationObject {
  readonly id: string
  readonly method: string
  readonly path: string
}

/** The inline examples. */
export function examplesOf(
  examples: Readonly<Record<string, ExampleObject | ReferenceObject>> = {},
): ExampleObject[] {
  return Object.values(examples).filter((example): example is ExampleObject => 'value' in example)
}

/** A collapsible example; the first one is open. */
export function example(summary: string | undefined, index: number, content: Html): Html {
  return html`<details ${index === 0 ? 'open' : ''}>
    <summary>${summary}</summary>
    ${content}
  </details>`
}

/** A `curl` command that sends `body`. */
export function curl({ method, path, parameters = [] }: NamedOperation, body?: unknown): Html {
  const [first] = parameters
  const example: unknown = first !== undefined && 'example' in first ? first.example : ''
  const url = `"$BASE_URL${path.replace(/\{\w+\}/, String(example))}"`
  const json = method === 'get' ? undefined : JSON.stringify(body, null, 2)
  return html`<pre tabindex="0"><code>${curlCommand(url, 'API_KEY', json)}</code></pre>`
}

export function json(value: unknown): Html {
  return html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`
}

/** Events in wire format. */
export function records(events: readonly ExampleObject[]): Html {
  const stream = events.map(({ value }) => encodeRecord(String(value.data))).join('')
  return html`<pre tabindex="0"><code>${stream}</code></pre>`
}
