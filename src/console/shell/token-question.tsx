import { useSignal } from '@preact/signals'
import { isTokenNeeded, storeToken, tokenHeaders } from '../api/token.ts'
import { Dialog } from '../ui/dialog.tsx'

const refusedSentence = 'The token was refused. Enter the one of this simulator.'

const impossibleSentence =
  'A token has only letters from A to Z, digits and signs of ASCII, so this is not the one of the simulator.'

/** Asks for the token of the control plane, once for the tab. */
export function TokenQuestion() {
  const token = useSignal('')
  const refusal = useSignal('Authorization' in tokenHeaders() ? refusedSentence : undefined)
  const submit = (event: Event) => {
    event.preventDefault()
    if (token.value === '') return
    if (storeToken(token.value)) isTokenNeeded.value = false
    else refusal.value = impossibleSentence
  }
  return (
    <Dialog title="This simulator asks for a token">
      <form class="stack" onSubmit={submit}>
        <p>
          It was started with <code>--control-token</code>. The token is stored for this tab only.
        </p>
        {refusal.value !== undefined && <p role="alert">{refusal.value}</p>}
        <label>
          Token
          <input
            type="password"
            class="full"
            autocomplete="off"
            value={token.value}
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
        </label>
        <p class="actions bar">
          <button type="submit" class="primary">
            Open the console
          </button>
        </p>
      </form>
    </Dialog>
  )
}
