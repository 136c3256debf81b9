// The form that creates a key, with the values and problems of an earlier attempt.
import { html } from 'hono/html'
import {
  type KeyFormProblems,
  type KeyFormValues,
  MAX_CONCURRENCY,
  MAX_LIMIT_REQUESTS,
  MAX_LIMIT_SECONDS,
  MAX_NAME_LENGTH,
  MAX_TOKENS_PER_MINUTE,
} from '../data/key-form.ts'
import { BASE } from '../dashboard-paths.ts'
import { fields } from '../form-fields.ts'
import { field, hidden, type Html, type Page, type Shown } from './layout.ts'

export interface CreatePage extends Shown {
  /** The id that the key of this form will have. */
  readonly form: string
  readonly values: KeyFormValues
  readonly problems: KeyFormProblems
}

const NAME_HINT = 'The purpose of the key, for example “checkout, production”.'

export function createPage({ csrf, form, served, values, problems }: CreatePage): Page {
  return {
    title: 'Create a key',
    place: 'keys',
    content: html`<div class="column">
      <h1>Create a key</h1>
      <p class="quiet">Its secret is shown once, on the next page.</p>
      ${problemList(problems)}
      <form class="card" method="post" action="${BASE}/keys">
        ${hidden(fields.csrf, csrf)} ${hidden(fields.form, form)}
        ${field(
          { id: 'name', name: fields.name, label: 'Name', hint: NAME_HINT },
          html`type="text" value="${values.name}" maxlength="${MAX_NAME_LENGTH}" autocomplete="off"
          ${invalid(problems.name)} ${Object.keys(problems).length === 0 && 'autofocus'}`,
        )}
        ${modelChoice(served, values, problems)} ${limitChoice(values, problems)}
        <div class="actions">
          <button class="button main">Create the key</button>
          <a class="button" href="${BASE}">Cancel</a>
        </div>
      </form>
    </div>`,
  }
}

function problemList(problems: KeyFormProblems): Html | false {
  // The input that corrects each problem.
  const targets = {
    name: 'name',
    models: 'access-all',
    limit: 'limit-requests',
    concurrency: 'concurrency',
    tokens: 'tokens',
  } as const
  const items = Object.entries(targets).flatMap(([field, target]) => {
    const problem = problems[field as keyof typeof targets]
    return problem === undefined ? [] : [html`<li><a href="#${target}">${problem}</a></li>`]
  })
  return (
    items.length > 0 &&
    html`<div class="note bad" role="alert">
      The key was not created.
      <ul>
        ${items}
      </ul>
    </div>`
  )
}

function modelChoice(
  served: readonly string[],
  { access, models, moreModels }: KeyFormValues,
  problems: KeyFormProblems,
): Html {
  const all = access !== 'some'
  const choice = (id: string) =>
    html`<label class="choice"
      ><input type="checkbox" name="${fields.model}" value="${id}" ${models.includes(id) && 'checked'} /><span
        class="mono"
        >${id}</span
      ></label
    >`
  return html`<fieldset class="field">
    <legend>Models</legend>
    <label class="choice"
      ><input type="radio" name="${fields.access}" id="access-all" value="all" ${all && 'checked'} />Every
      model, now and later</label
    >
    <label class="choice"
      ><input type="radio" name="${fields.access}" value="some" ${!all && 'checked'} />Only some</label
    >
    <div class="indent ${problems.models !== undefined && 'open'}">
      ${served.map(choice)}
      <label class="title" for="more-models">Others</label>
      <span class="hint" id="more-models-hint"
        >Model ids, separated by commas. They may be served later.</span
      >
      <input
        id="more-models"
        name="${fields.moreModels}"
        type="text"
        value="${moreModels}"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="more-models-hint"
        ${invalid(problems.models)}
      />
    </div>
  </fieldset>`
}

function limitChoice(values: KeyFormValues, problems: KeyFormProblems): Html {
  const number = (
    id: string,
    name: 'limitRequests' | 'limitSeconds' | 'concurrency' | 'tokensPerMinute',
    max: number,
    label: string,
    problem: string | undefined,
  ) =>
    html`<input
      id="${id}"
      name="${fields[name]}"
      type="number"
      min="1"
      max="${max}"
      value="${values[name]}"
      aria-label="${label}"
      ${invalid(problem)}
    />`
  const { limit, concurrency, tokens } = problems
  return html`<fieldset class="field">
    <legend>Limits</legend>
    <span class="hint">An empty limit is the server’s default.</span>
    <div class="row">
      ${number('limit-requests', 'limitRequests', MAX_LIMIT_REQUESTS, 'Requests', limit)} requests per
      ${number('limit-seconds', 'limitSeconds', MAX_LIMIT_SECONDS, 'Seconds', limit)} seconds
    </div>
    <div class="row">
      ${number('concurrency', 'concurrency', MAX_CONCURRENCY, 'Concurrent requests', concurrency)} concurrent
      requests
    </div>
    <div class="row">
      ${number('tokens', 'tokensPerMinute', MAX_TOKENS_PER_MINUTE, 'Tokens per minute', tokens)} tokens per
      minute, prompts and answers
    </div>
  </fieldset>`
}

function invalid(problem: string | undefined): Html | false {
  return problem !== undefined && html`aria-invalid="true"`
}
