import { useEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { groupByFamily } from '../../store/catalogue.ts'
import { useCommands, useListKeys } from '../../store/commands.ts'
import { showNotice } from '../../store/notices.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { addRule } from '../../store/rules.ts'
import { RuleForm } from './rule-form.tsx'
import { isCalled, listOffers, type Offer, operationsOf } from './rules.ts'

/**
 * All scenarios by family, found by words of their sentences. The address names the one that is open. `onAdded` is
 * called after a rule was added.
 */
export function CatalogueList({ onAdded }: { onAdded: () => Promise<void> }) {
  const text = route.value.query['q'] ?? ''
  const field = useRef<HTMLInputElement>(null)
  const found = groupByFamily(listOffers().filter((offer) => hasWords(offer, text)))
  useListKeys({
    noun: 'scenario',
    ids: () => found.flatMap(([, members]) => members.map(({ name }) => name)),
    open: (name) => replaceRoute({ id: name }),
    field,
  })
  useCommands([{ title: 'Close the scenario', key: 'Escape', run: () => replaceRoute({ id: undefined }) }], [])
  return (
    <>
      <header class="pane-head">
        <h2>Catalogue</h2>
        <input
          ref={field}
          type="search"
          aria-label="Search scenarios"
          placeholder="Name, status or words"
          value={text}
          onInput={(event) => replaceRoute({ query: { q: event.currentTarget.value } })}
        />
      </header>
      {found.length === 0 && <p class="faint">No scenario has these words.</p>}
      {found.map(([family, members]) => (
        <section key={family} aria-label={family}>
          <h3 class="faint small">{family}</h3>
          {members.map((offer) => (
            <OfferItem key={offer.name} {...{ offer, onAdded }} />
          ))}
        </section>
      ))}
    </>
  )
}

/** An offer with the form that adds a rule, for the operation of the address where the scenario fits it. */
function OfferItem({ offer, onAdded }: { offer: Offer; onAdded: () => Promise<void> }) {
  const isOpen = isCalled(route.value.id, offer)
  const named = route.value.query['operation']
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isOpen) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const ids = operationsOf(offer)
  const operation = ids.length === 1 ? ids[0] : ids.find((id) => id === named)
  const save = async (rule: Schema<'Rule'>) => {
    const added = await addRule(sandbox.peek(), rule)
    if (!added.ok) return added
    showNotice('Switched on, before the other rules.')
    await onAdded()
    return added
  }
  const blank = { [offer.freeText ?? 'scenario']: offer.freeText ? offer.example : offer.name }
  return (
    <div ref={element} class="offer entries">
      <a href={hrefOf({ id: isOpen ? undefined : offer.name })} aria-expanded={isOpen}>
        <span>
          <code>{offer.name}</code> <b class="faint">{offer.status}</b>
        </span>
        <span>{offer.about}</span>
      </a>
      {isOpen && (
        <div tabIndex={-1} data-open>
          <RuleForm
            key={named}
            {...{ offer, save }}
            rule={{ ...blank, ...(operation && { operation }) }}
            action="Switch on"
          />
        </div>
      )}
    </div>
  )
}

function hasWords({ name, about, family }: Offer, text: string): boolean {
  const all = `${name} ${about} ${family}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
