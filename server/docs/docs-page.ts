// The API page, rendered from the OpenAPI document. It is our own because it needs no script: @scalar/api-reference
// 1.x was measured instead, self-hosted. It adds "try it", but sends a script of 3.5 MB (1.0 MB compressed), installs 210
// packages (247 MB), needs `'unsafe-inline'` styles, contacts fonts.scalar.com and proxy.scalar.com by default, shows after
// 1.9 s, and has 58 serious findings of axe. This page sends 0.12 MB (14 kB compressed), needs no host, and has none.
import { html } from 'hono/html'
import type { ContentObject, OpenAPIObject, ResponseObject } from 'openapi3-ts/oas31'
import { errorTable } from './error-table.ts'
import { type NamedOperation, curl, example, examplesOf, json, records } from './curl-examples.ts'
import { fieldTable } from './field-table.ts'
import type { Html } from '../../harness/html/document.ts'
import { page } from '../pages/page.ts'
import { prose } from './prose.ts'
import { style } from './docs-style.ts'

/** The page of a document. `baseUrl`: the address of the service, for the examples. */
export function docsPage(document: OpenAPIObject, baseUrl: string): Html {
  const { info, components } = document
  const operations = operationsOf(document)
  // Request schemas are shown with their operation.
  const shown = new Set(operations.map(requestSchema))
  const schemas = Object.entries(components?.schemas ?? {}).filter(([name]) => !shown.has(name))
  return page(
    `${info.title} API`,
    style,
    html`<header class="bar">
        <div>
          <a class="brand" href="#top">${info.title}</a>
          <nav aria-label="Elsewhere">
            <a href="/openapi.json">openapi.json</a>
            <a href="/dashboard">Keys</a>
          </nav>
        </div>
      </header>
      <div class="page" id="top">
        <nav class="contents" aria-label="Contents">
          <ul>
            <li><a href="#start">First request</a></li>
          </ul>
          <strong>Operations</strong>
          <ul>
            ${operations.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`)}
          </ul>
          <strong>Answers</strong>
          <ul>
            <li><a href="#errors">Errors and retries</a></li>
          </ul>
          <strong><a href="#schemas">Schemas</a></strong>
          <ul class="schemas">
            ${schemas.map(([name]) => html`<li><a href="#${name}">${name}</a></li>`)}
          </ul>
        </nav>
        <main id="main">
          <section id="start">
            <h1>${info.title} API</h1>
            ${prose(info.description)} ${securitySchemes(document)} ${firstRequest(operations, baseUrl)}
          </section>
          ${operations.map((operation) => operationSection(operation, document))}
          <section id="errors">
            <h2>Errors and retries</h2>
            ${errorTable(components?.responses ?? {}, operations)}
          </section>
          <section id="schemas">
            <h2>Schemas</h2>
            ${schemas.map(
              ([name, schema]) =>
                html`<article id="${name}">
                  <h3>${name}</h3>
                  ${prose(schema.description)} ${fieldTable(name, schema)}
                </article>`,
            )}
          </section>
          <footer>Version ${info.version}. This page loads nothing from other hosts.</footer>
        </main>
      </div>`,
  )
}

function operationsOf({ paths = {} }: OpenAPIObject): NamedOperation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) =>
    Object.entries({ get, post }).flatMap(([method, operation]) =>
      operation === undefined
        ? []
        : [Object.assign({ id: operation.operationId ?? `${method} ${path}`, method, path }, operation)],
    ),
  )
}

function securitySchemes({ components }: OpenAPIObject): Html[] {
  return Object.values(components?.securitySchemes ?? {}).map((scheme) => prose(scheme.description))
}

function firstRequest(operations: readonly NamedOperation[], baseUrl: string): Html {
  const [chat] = operations
  const [example] = chat === undefined ? [] : requestExamples(chat)
  const setUp = `export BASE_URL=${baseUrl}\nexport API_KEY='svc_sk_…'`
  return html`<h2>First request</h2>
    <pre tabindex="0"><code>${setUp}</code></pre>
    ${chat !== undefined && example !== undefined && curl(chat, example.value)}`
}

function operationSection(operation: NamedOperation, document: OpenAPIObject): Html {
  const { id, summary, description, method, path, parameters = [] } = operation
  const schemaName = requestSchema(operation)
  const schema = schemaName === undefined ? undefined : document.components?.schemas?.[schemaName]
  return html`<section id="${id}">
    <h2>${summary}</h2>
    <p class="route"><span class="method ${method}">${method.toUpperCase()}</span> ${path}</p>
    ${prose(description)}
    ${
      parameters.length > 0 &&
      html`<h3>Path</h3>
        <div class="table">
          <table>
            <tbody>
              ${parameters.map(
                (parameter) =>
                  'name' in parameter &&
                  html`<tr>
                    <td class="name"><code>${parameter.name}</code></td>
                    <td>${prose(parameter.description)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`
    }
    ${
      schemaName !== undefined &&
      schema !== undefined &&
      html`<h3>Body</h3>
        ${fieldTable(schemaName, schema)}`
    }
    <h3>Requests</h3>
    ${
      schemaName === undefined
        ? curl(operation)
        : requestExamples(operation).map(({ summary, value }, index) =>
            example(summary, index, curl(operation, value)),
          )
    }
    <h3>Answers</h3>
    ${answers(operation)}
  </section>`
}

function requestContent({ requestBody }: NamedOperation): ContentObject {
  return requestBody !== undefined && 'content' in requestBody ? requestBody.content : {}
}

function requestSchema(operation: NamedOperation): string | undefined {
  const reference = requestContent(operation)['application/json']?.schema?.$ref
  return reference?.slice(reference.lastIndexOf('/') + 1)
}

function requestExamples(operation: NamedOperation) {
  return examplesOf(requestContent(operation)['application/json']?.examples)
}

function answers({ responses }: NamedOperation): Html {
  const success: ResponseObject | undefined = responses?.['200']
  const { 'application/json': plain, 'text/event-stream': stream } = success?.content ?? {}
  return html`<p>
      <span class="status">200</span> ${success?.description ?? ''}
      ${errorLinks(Object.keys(responses ?? {}))}
    </p>
    ${examplesOf(plain?.examples).map(({ summary, value }, index) => example(summary, index, json(value)))}
    ${stream !== undefined && example('An event stream', 1, records(examplesOf(stream.examples)))}`
}

function errorLinks(statuses: readonly string[]): Html {
  const errors = statuses.filter((status) => status !== '200')
  return html`Otherwise
  ${errors.map((status, index) => html`${index === 0 ? '' : ', '}<a href="#error-${status}">${status}</a>`)}.`
}
