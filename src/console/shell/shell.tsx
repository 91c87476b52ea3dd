import { useSignal } from '@preact/signals'
import { useErrorBoundary } from 'preact/hooks'
import { isTokenNeeded, storeToken, tokenHeaders } from '../api/call.ts'
import { useCommands } from '../store/commands.ts'
import { streamProblem, streamState } from '../store/live.ts'
import { announcement, dismiss, notices, openQuestion } from '../store/notices.ts'
import { navigate, sandbox, showSandbox } from '../store/route.ts'
import { sandboxes, sandboxNames } from '../store/server.ts'
import { Button, FieldForm } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { currentView, views } from '../views/index.tsx'
import { Help, isHelpOpen, isPaletteOpen, Palette } from './commands.tsx'
import { Header } from './header.tsx'

export function Shell() {
  useCommands(
    [
      ...views.map(({ name, title }, index) => ({
        title: `Go to ${title}`,
        key: String(index + 1),
        isNavigation: true,
        run: () => navigate({ view: name }),
      })),
      { title: 'Keyboard shortcuts', words: 'docs documentation help', key: '?', run: () => (isHelpOpen.value = true) },
    ],
    [],
  )
  const pageProblem = findPageProblem()
  return (
    <>
      <Header />
      {pageProblem !== undefined && (
        <p class="banner toolbar marked bad" role="alert">
          {pageProblem}
        </p>
      )}
      <main tabIndex={-1}>
        <h1 class="hidden">{currentView.value.title}</h1>
        <CurrentView key={`${currentView.value.name} ${sandbox.value}`} />
      </main>
      <Notices />
      <OpenQuestion />
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <Help />}
      {isTokenNeeded.value && <TokenQuestion />}
    </>
  )
}

/** Returns the problem that the page shows above its content, if any. */
function findPageProblem(): string | undefined {
  if (isTokenNeeded.value) return 'The simulator requires its token (--control-token). Enter the token to continue.'
  if (streamState.value === 'offline')
    return streamProblem.value?.sentence ?? 'The simulator closed the stream of requests. The page is reconnecting.'
  const names = sandboxes.value?.map(({ name }) => name)
  if (!names || ['*', 'default', ...names].includes(sandbox.value) || !isSandboxName(sandbox.value)) return undefined
  return `Sandbox ${sandbox.value} does not exist: it was deleted or evicted, or has not been used yet.`
}

const isSandboxName = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

function CurrentView() {
  const { Page, title, showsAllSandboxes } = currentView.value
  const [error, retry] = useErrorBoundary()
  if (error !== undefined)
    return (
      <Empty title="This view has failed">
        This is a bug in the console: {String(error)}. <Button label="Try again" onClick={retry} />
      </Empty>
    )
  const isAll = sandbox.value === '*'
  if (isAll ? showsAllSandboxes : isSandboxName(sandbox.value)) return <Page />
  return (
    <Empty title={isAll ? 'Pick a sandbox' : 'The sandbox name in the URL is not valid'}>
      {isAll ? `The ${title} view shows one sandbox at a time: ` : 'Pick a sandbox: '}
      {sandboxNames.value.filter(isSandboxName).map((name) => (
        <Button label={name} key={name} onClick={() => showSandbox(name)} />
      ))}
    </Empty>
  )
}

const Notices = () => (
  <>
    <div class="notices stack" role="status">
      {notices.value.map((notice) => (
        <div key={notice.sentence} class={`notice bar marked box ${notice.kind}`}>
          <span>{notice.sentence}</span>
          <Button
            label="✕"
            class="quiet last"
            aria-label={`Close: ${notice.sentence}`}
            onClick={() => dismiss(notice)}
          />
        </div>
      ))}
    </div>
    <p class="hidden" role="status">
      {announcement.value}
    </p>
  </>
)

function OpenQuestion() {
  const question = openQuestion.value
  if (!question) return null
  const { title, losses, answer } = question
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>The following will be lost:</p>
      <ul class="bullets">
        {losses.map((loss) => (
          <li key={loss}>{loss}</li>
        ))}
      </ul>
      <p class="bar">
        <Button label="Cancel" class="last" onClick={() => answer(false)} />
        <Button label={title.replace(/ .*/, '')} class="danger" onClick={() => answer(true)} />
      </p>
    </Dialog>
  )
}

function TokenQuestion() {
  const hasToken = 'Authorization' in tokenHeaders()
  const refusal = useSignal(hasToken ? 'The token was refused. Enter this simulator’s token.' : undefined)
  const enter = async (token: string) => {
    if (storeToken(token)) isTokenNeeded.value = false
    else refusal.value = 'A token can contain only printable ASCII characters.'
    return true
  }
  return (
    <Dialog title="This simulator requires a token">
      <p>
        The simulator was started with <code>--control-token</code>. The token is stored for this tab only.
      </p>
      {refusal.value !== undefined && <p role="alert">{refusal.value}</p>}
      <FieldForm
        label="Token"
        action="Open the console"
        change={enter}
        field={{ type: 'password', required: true, class: 'grows' }}
      />
    </Dialog>
  )
}
