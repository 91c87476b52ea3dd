import type { AnswerOf } from '../../api/answers.ts'
import { useCommands } from '../../store/commands.ts'
import { navigate, replaceRoute, route } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { Loading } from '../../ui/loading.tsx'
import { ModelList } from './model-list.tsx'
import { ModelPage } from './model-page.tsx'
import { TimeBar } from './time-bar.tsx'

/** The models, their analytics as charts, and the time and the seed from which they are made. */
/** Shows the view "World". */
export function WorldPage() {
  const { value, problem } = useAnswer('/catalogue')
  return (
    <div class="world">
      <TimeBar />
      {value ? <Models catalogue={value} /> : <Loading problem={problem} />}
    </div>
  )
}

/** The list of the models beside the one that is open. A narrow page shows one of both. */
function Models({ catalogue }: { readonly catalogue: AnswerOf<'/catalogue', 'get'> }) {
  const { id } = route.value
  const ids = catalogue.models.map((model) => model.id)
  const open = id ?? ids[0]
  const step = (by: number) => {
    const next = ids[ids.indexOf(open ?? '') + by]
    if (next !== undefined) replaceRoute({ id: next, query: { as: undefined } })
  }
  useCommands(
    [
      { title: 'Next model', key: 'j', isKeyOnly: true, run: () => step(1) },
      { title: 'Previous model', key: 'k', isKeyOnly: true, run: () => step(-1) },
      ...catalogue.models.map((model) => ({
        title: `Show the model ${model.name}`,
        run: () => navigate({ view: 'world', id: model.id, query: { as: undefined } }),
      })),
    ],
    [open, catalogue],
  )
  return (
    <div class={id === undefined ? 'world-models' : 'world-models with-model'}>
      <ModelList models={catalogue.models} open={open} />
      {open !== undefined && <ModelPage key={open} id={open} catalogue={catalogue} />}
    </div>
  )
}
