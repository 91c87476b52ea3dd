import type { AnswerOf } from '../../api/answers.ts'
import { hrefOf, navigate } from '../../store/route.ts'

/** A model of the fixtures. */
export type CatalogueModel = AnswerOf<'/catalogue', 'get'>['models'][number]

/** Properties of `ModelList`. */
export interface ModelListProps {
  readonly models: readonly CatalogueModel[]
  /** The id of the model that is shown. */
  readonly open: string | undefined
}

/** The models of the fixtures by the way in which they are special, and a field for any other. */
export function ModelList({ models, open }: ModelListProps) {
  const groups: readonly [string, (model: CatalogueModel) => boolean][] = [
    ['Personas', ({ scenario, shape }) => scenario === undefined && shape === undefined],
    ['Shapes', ({ scenario, shape }) => scenario === undefined && shape !== undefined],
    ['Scenarios', ({ scenario }) => scenario !== undefined],
  ]
  const submit = (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const id = String(new FormData(form).get('id')).trim()
    if (id === '') return
    navigate({ id, query: { as: undefined } })
    form.reset()
  }
  return (
    <section class="model-list entries" aria-label="Models">
      <form onSubmit={submit}>
        <input name="id" aria-label="The id of any other model" placeholder="Any other UUID" spellcheck={false} />
        <button type="submit">Show</button>
      </form>
      {groups.map(([title, isMember]) => {
        const members = models.filter(isMember)
        if (members.length === 0) return null
        return (
          <div key={title}>
            <h2>{title}</h2>
            <ul>
              {members.map((model) => (
                <li key={model.id}>
                  <a
                    href={hrefOf({ id: model.id, query: { as: undefined } })}
                    aria-current={model.id === open ? 'true' : undefined}
                    title={model.about}
                  >
                    <span>{model.name}</span>
                    <span class="faint">{model.scenario ?? model.shape ?? model.persona ?? 'by the seed'}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </section>
  )
}
