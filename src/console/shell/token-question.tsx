import { useSignal } from '@preact/signals'
import { isTokenNeeded, storeToken, tokenHeaders } from '../api/token.ts'
import { Dialog } from '../ui/dialog.tsx'

/** Asks for the token of the control plane, once for the tab. */
export function TokenQuestion() {
  const token = useSignal('')
  const wasRefused = 'Authorization' in tokenHeaders()
  const submit = (event: Event) => {
    event.preventDefault()
    if (token.value === '') return
    storeToken(token.value)
    isTokenNeeded.value = false
  }
  return (
    <Dialog title="This simulator asks for a token">
      <form onSubmit={submit}>
        <p>
          It was started with <code>--control-token</code>. The token is stored for this tab only.
        </p>
        {wasRefused && <p role="alert">The token was refused. Enter the one of this simulator.</p>}
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={token.value}
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="primary">
            Open the console
          </button>
        </p>
      </form>
    </Dialog>
  )
}
