// The only script of the dashboard: it copies a secret that was just made, and takes it off the page when the page is
// left, so that going back shows it no more. Without it the secret is there to be selected by hand.
import { pageElements } from './page-elements.ts'

/** The ids of what the script touches. */
export const copyElements = { button: 'copy', said: 'copied' } as const

export const copyScript = `
(() => {
  const secret = document.getElementById('${pageElements.keySecret}')
  const button = document.getElementById('${copyElements.button}')
  const said = document.getElementById('${copyElements.said}')
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(secret.textContent.trim())
      said.textContent = 'Copied.'
    } catch {
      getSelection().selectAllChildren(secret)
      said.textContent = 'Selected: copy it with Ctrl+C.'
    }
  })
  addEventListener('pagehide', () => {
    secret.textContent = 'Shown once.'
    button.hidden = true
    said.textContent = ''
  })
})()
`
