// The error responses as a table: status, type and codes, cause, and whether to retry.
import { html } from 'hono/html'
import type { OperationObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'
import { errorEnvelope } from '../../spec/protocol/error.ts'
import { RETRYABLE_STATUSES } from '../../spec/protocol/retry.ts'
import type { Html } from '../../harness/html/document.ts'
import { table } from '../pages/page.ts'
import { prose } from './prose.ts'

type Responses = Readonly<Record<string, ResponseObject | ReferenceObject>>

/** One row per status that an operation references from `responses`. */
export function errorTable(responses: Responses, operations: readonly OperationObject[]): Html {
  const names = new Map<string, string>()
  for (const operation of operations)
    for (const [status, { $ref }] of Object.entries<{ $ref?: string }>(operation.responses ?? {}))
      if ($ref !== undefined) names.set(status, $ref.slice($ref.lastIndexOf('/') + 1))
  const rows = [...names]
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([status, name]) => row(status, responses[name]))
  return table(['Status', 'Type and codes', 'Cause', 'Retry'], rows)
}

function row(status: string, response: ResponseObject | ReferenceObject | undefined): Html {
  const examples = response !== undefined && 'content' in response ? response.content : undefined
  const errors = Object.values(examples?.['application/json']?.examples ?? {}).flatMap((example) => {
    const envelope = errorEnvelope.safeParse('value' in example ? example.value : undefined)
    return envelope.success ? [envelope.data.error] : []
  })
  return html`<tr id="error-${status}">
    <td class="status">${status}</td>
    <td data-label="Type">
      <code>${errors[0]?.type}</code>
      <ul>
        ${errors.map(({ code, message }) => html`<li><code>${code}</code><br /><span class="quiet">${message}</span></li>`)}
      </ul>
    </td>
    <td>${prose(response?.description)}</td>
    <td data-label="Retry">${RETRYABLE_STATUSES.has(Number(status)) ? 'yes' : 'no'}</td>
  </tr>`
}
