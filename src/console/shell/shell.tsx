import { useErrorBoundary } from 'preact/hooks'
import { isTokenNeeded } from '../api/token.ts'
import { useCommands } from '../store/commands.ts'
import { streamProblem, streamState } from '../store/live.ts'
import { navigate, sandbox, showSandbox } from '../store/route.ts'
import { isSandboxMissing, sandboxNames } from '../store/server.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { currentView, views } from '../views/index.ts'
import { Header } from './header.tsx'
import { isKeyListOpen, isPaletteOpen, KeyList } from './keys.tsx'
import { Announcement, Notices, OpenQuestion } from './notices.tsx'
import { Palette } from './palette.tsx'
import { TokenQuestion } from './token-question.tsx'

/** The whole page: head, the view that the address names, and whatever lies above it. */
export function Shell() {
  useCommands(
    [
      ...views.map(({ name, title }, index) => ({
        title: `Go to ${title}`,
        key: String(index + 1),
        run: () => navigate({ view: name }),
      })),
      { title: 'Show the keys', key: '?', run: () => (isKeyListOpen.value = true) },
    ],
    [],
  )
  return (
    <>
      <Header />
      <Banner />
      <main>
        <h1 class="hidden">{currentView.value.title}</h1>
        <CurrentView key={`${currentView.value.name} ${sandbox.value}`} />
      </main>
      <Notices />
      <Announcement />
      <OpenQuestion />
      {isPaletteOpen.value && <Palette />}
      {isKeyListOpen.value && <KeyList />}
      {isTokenNeeded.value && <TokenQuestion />}
    </>
  )
}

/** Says why the page does not follow the requests, or that there is no such sandbox. */
function Banner() {
  const name = sandbox.value
  const sentence = isTokenNeeded.value
    ? 'The simulator shows nothing without its token (--control-token). Enter it to go on.'
    : streamState.value === 'offline'
      ? (streamProblem.value?.sentence ?? 'The simulator has closed the stream of requests. The page opens it again.')
      : isSandboxMissing.value && isSandboxName(name)
        ? `There is no sandbox ${name}: it was deleted, or no request has used it yet.`
        : undefined
  if (sentence === undefined) return null
  return (
    <p class="banner toolbar marked bad" role="alert">
      {sentence}
    </p>
  )
}

const isSandboxName = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

function CurrentView() {
  const { Page, title, showsAllSandboxes } = currentView.value
  const [error, retry] = useErrorBoundary()
  if (error !== undefined)
    return (
      <Empty title="This view has failed">
        That is a bug of the console: {String(error)}. <Button label="Try again" onClick={retry} />
      </Empty>
    )
  const isAll = sandbox.value === '*'
  if (isAll ? showsAllSandboxes : isSandboxName(sandbox.value)) return <Page />
  return (
    <Empty title={isAll ? 'Pick a sandbox' : 'No sandbox can have the name of this address'}>
      {isAll ? `${title} shows one sandbox at a time: ` : 'Pick one of these: '}
      {sandboxNames.value.filter(isSandboxName).map((name) => (
        <Button label={name} key={name} onClick={() => showSandbox(name)} />
      ))}
    </Empty>
  )
}
