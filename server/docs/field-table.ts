// The members of a schema as a table: type, range and meaning. Required members first, deprecated ones last.
import { html } from 'hono/html'
import type { Html } from '../../harness/html/document.ts'
import { table } from '../pages/page.ts'
import { prose } from '../../harness/html/markup.ts'
import { type Field, type Schema, type TypeWord, fieldsOf, limitsOf, typeOf } from './schema-words.ts'

/** The table of an object, or the type of any other schema. A row has the id `SCHEMA.FIELD`. */
export function fieldTable(name: string, schema: Schema): Html {
  const fields = inOrder(fieldsOf(schema))
  if (fields.length === 0) return html`<p>${words(typeOf(schema))}</p>`
  const rows = fields.map((field) => row(field, `${name}.${field.name}`))
  return table(['Field', 'Type', 'Range', 'Meaning'], rows, 'fields')
}

/** Members of inner objects follow their object. */
function inOrder(fields: readonly Field[]): Field[] {
  const groups = Object.values(Object.groupBy(fields, ({ name }) => `.${name.split(/[.[]/)[0]}`))
  const rank = (group: readonly Field[] = []) => (group[0]?.required ? 0 : isDeprecated(group[0]) ? 2 : 1)
  return groups.toSorted((a, b) => rank(a) - rank(b)).flatMap((group) => group ?? [])
}

function isDeprecated(field: Field | undefined): boolean {
  return field !== undefined && 'deprecated' in field.schema && field.schema.deprecated === true
}

function row(field: Field, id: string): Html {
  const { name, required, schema } = field
  const limits = limitsOf(schema)
  return html`<tr class="${/[.[]/.test(name) ? 'inner' : ''}" id="${id}">
    <td class="name">
      <code>${breakable(name)}</code>
      ${required && html`<span class="tag">required</span>`}
      ${isDeprecated(field) && html`<span class="tag old">deprecated</span>`}
    </td>
    <td data-label="Type">${words(typeOf(schema))}</td>
    <td class="limit">${limits.map((limit) => html`<div>${limit}</div>`)}</td>
    <td>${prose(schema.description ?? '')}</td>
  </tr>`
}

function words(type: readonly TypeWord[]): Html[] {
  return type.map((word) => {
    if ('schema' in word) return html`<a href="#${word.schema}">${word.schema}</a>`
    return 'code' in word ? html`<code class="value">${word.code}</code>` : html`${word.text}`
  })
}

/** A path that can wrap before its dots. */
function breakable(path: string): Html[] {
  return path.split('.').map((step, index) => (index === 0 ? html`${step}` : html`<wbr />.${step}`))
}
