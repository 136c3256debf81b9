// The only script of the dashboard: it copies a new secret and removes it when the operator leaves the page, so that
// going back does not show it. Without scripts the secret can be selected by hand.

/** Ids of the elements that the script uses. */
export const copyElements = { secret: 'key-secret', button: 'copy', status: 'copied' } as const

export const copyScript = `
(() => {
  const secret = document.getElementById('${copyElements.secret}')
  const button = document.getElementById('${copyElements.button}')
  const status = document.getElementById('${copyElements.status}')
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(secret.textContent.trim())
      status.textContent = 'Copied.'
    } catch {
      getSelection().selectAllChildren(secret)
      status.textContent = 'Selected: copy it with Ctrl+C.'
    }
  })
  addEventListener('pagehide', () => {
    secret.textContent = 'Shown once.'
    button.hidden = true
    status.textContent = ''
  })
})()
`
