import { useEffect, useRef } from 'preact/hooks'
import type { ResponseOf, Schema } from '../../api/call.ts'
import { useListKeys } from '../../store/commands.ts'
import { showNotice } from '../../store/notices.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { addRule, groupByFamily, refreshSandboxes } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { SearchField } from '../../ui/controls.tsx'
import { Loading } from '../../ui/empty.tsx'
import { hasWords, nameRuleAt, pluralize } from '../../ui/text.tsx'
import { RuleForm } from './rule-form.tsx'
import { RuleList } from './rule-list.tsx'
import { listRuleChoices, type RuleChoice } from './rules.ts'

export function ScenariosPage() {
  const query = { sandbox: sandbox.value }
  const rules = useResponse('/scenarios', { query, followsTraffic: true })
  const sequences = useResponse('/sequences', { query, followsTraffic: true })
  if (!rules.value) return <Loading problem={rules.problem} />
  return (
    <div class="scenarios panes">
      <section class="stack" aria-label="Rules">
        <RuleList {...rules.value} reload={rules.reload} />
        {sequences.value && <Sequences {...sequences.value} />}
      </section>
      <section class="stack" aria-label="Catalogue">
        <CatalogueList />
      </section>
    </div>
  )
}

type SequenceState = ResponseOf<'/sequences', 'get'>['sequences'][number]

function Sequences({ sequences }: ResponseOf<'/sequences', 'get'>) {
  if (sequences.length === 0) return null
  return (
    <>
      <h2>Sequences in use</h2>
      <ul class="stack">
        {sequences.map((one) => (
          <li key={`${one.operation} ${nameOwner(one)} ${one.sequence}`} class="sequence box">
            <p>
              <b>{one.operation}</b>{' '}
              <span class="faint">
                {nameOwner(one)} · {pluralize(one.met, 'request')} so far
              </span>
            </p>
            {one.items ? <Steps {...one} /> : <code class="breaks">{one.sequence}</code>}
          </li>
        ))}
      </ul>
    </>
  )
}

const nameOwner = ({ rule }: SequenceState) => (rule ? nameRuleAt(rule) : 'X-Sim-Sequence header')

const Steps = ({ items = [], position = 0 }: SequenceState) => (
  <ol class="steps wraps">
    {items.map(({ scenario, times }, index) => (
      <li
        key={index}
        class={index === position ? 'pill small' : 'pill faint small'}
        aria-current={index === position ? 'step' : undefined}
      >
        {index < position && (
          <>
            <span aria-hidden="true">✓ </span>
            <span class="hidden">done: </span>
          </>
        )}
        {index === position && <b>next: </b>}
        <code>{scenario}</code>
        {index === items.length - 1 ? ' from here on' : times > 1 && ` × ${times}`}
      </li>
    ))}
  </ol>
)

function CatalogueList() {
  const search = route.value.query['q']
  const found = listRuleChoices().filter(({ name, about, family }) => hasWords(`${name} ${about} ${family}`, search))
  const families = groupByFamily(found)
  const ids = families.flatMap(([, members]) => members.map(({ name }) => name))
  useListKeys({ noun: 'scenario', ids, canClose: true })
  return (
    <>
      <header class="pane-head">
        <h2>Catalogue</h2>
        <SearchField label="Search scenarios" placeholder="Name, status or description" />
      </header>
      {found.length === 0 && <p class="faint">No scenarios match.</p>}
      {families.map(([family, members]) => (
        <section key={family} aria-label={family}>
          <h3 class="faint small">{family}</h3>
          {members.map((choice) => (
            <ChoiceItem key={choice.name} choice={choice} />
          ))}
        </section>
      ))}
    </>
  )
}

/** A choice and its form. Preselects the only operation, or the operation in the URL if the choice applies to it. */
function ChoiceItem({ choice }: { readonly choice: RuleChoice }) {
  const { id, query } = route.value
  // A status in the URL opens each scenario that returns that status.
  const isOpen = id !== undefined && [choice.name, choice.status].includes(id)
  const operationInUrl = query['operation']
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isOpen) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const { operations } = choice
  const operation = operations.length === 1 ? operations[0] : operations.find((one) => one === operationInUrl)
  const save = async (rule: Schema<'Rule'>) => {
    const added = await addRule(sandbox.peek(), rule)
    if (added.value) showNotice('The new rule is on and is tried first.')
    await refreshSandboxes()
    return added
  }
  const blank = { [choice.freeText ?? 'scenario']: choice.freeText ? choice.example : choice.name }
  return (
    <div ref={element} class="rule-choice entries">
      <a href={hrefOf({ id: isOpen ? undefined : choice.name })} aria-expanded={isOpen}>
        <span>
          <code>{choice.name}</code> <b class="faint">{choice.status}</b>
        </span>
        <span>{choice.about}</span>
      </a>
      {isOpen && (
        <div tabIndex={-1} data-open>
          <RuleForm
            key={operationInUrl}
            {...{ choice, save }}
            rule={{ ...blank, ...(operation && { operation }) }}
            action="Switch on"
          />
        </div>
      )}
    </div>
  )
}
