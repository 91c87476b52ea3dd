import type { Schema } from '../../api/answers.ts'
import { useCatalogue } from '../../store/catalogue.ts'
import { useCommands } from '../../store/commands.ts'
import { navigate, replaceRoute, route } from '../../store/route.ts'
import { useListKeys } from '../../store/use-list-keys.ts'
import { Loading } from '../../ui/empty.tsx'
import { EntryList } from '../../ui/entry-list.tsx'
import { FieldForm } from '../../ui/field-form.tsx'
import { ModelPage } from './model-page.tsx'
import { TimeBar } from './time-bar.tsx'

/** Shows the view "World": the models with their analytics, and the time and the seed that make them. */
export function WorldPage() {
  const { value, problem } = useCatalogue()
  return (
    <>
      <TimeBar />
      {value ? <Models catalogue={value} /> : <Loading problem={problem} />}
    </>
  )
}

/** The scenario in the address is that of the model that was open before. */
const query = { as: undefined }

function Models({ catalogue }: { readonly catalogue: Schema<'Catalogue'> }) {
  const { models } = catalogue
  const openId = route.value.id ?? models[0]?.id
  useListKeys({
    noun: 'model',
    ids: () => models.map(({ id }) => id),
    open: (id) => replaceRoute({ id, query }),
    shownId: models[0]?.id,
  })
  useCommands(
    models.map(({ id, name }) => ({
      title: `Show the model ${name}`,
      run: () => navigate({ view: 'world', id, query }),
    })),
    [catalogue],
  )
  const open = async (id: string) => {
    if (id !== '') navigate({ id, query })
    return true
  }
  return (
    <div class="split with-open with-menu">
      <section class="split-pane scroll" aria-label="Models">
        <div class="toolbar bar">
          <FieldForm
            label="The id of any other model"
            action="Show"
            change={open}
            field={{ placeholder: 'Any other UUID' }}
          />
        </div>
        <EntryList
          entries={models.map(({ id, name, about, scenario, shape, persona }) => ({
            id,
            title: name,
            note: scenario ?? shape ?? persona ?? 'by the seed',
            tooltip: about,
          }))}
          openId={openId}
          query={query}
        />
      </section>
      {openId !== undefined && <ModelPage key={openId} id={openId} catalogue={catalogue} />}
    </div>
  )
}
