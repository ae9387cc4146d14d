import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAgentChoice } from '../../agents/use-agent-choice.tsx'
import type { InputOf } from '../../api/api.tsx'
import filters from '../../components/filters.module.css'
import { Icon } from '../../components/icon.tsx'
import { useTexts } from '../../language/language.tsx'
import { moneyTexts } from './texts.ts'

type Type = InputOf<'listOwnerTransactions'>['type']

/** Which transactions the address asks for. */
export interface Filter {
  readonly agent: string | undefined
  readonly type: Type | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly search: string | undefined
}

const NONE: Filter = { agent: undefined, type: undefined, from: undefined, to: undefined, search: undefined }
const TYPES = Object.keys(moneyTexts.en.types) as (keyof typeof moneyTexts.en.types)[]

interface FiltersProps {
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
}

/** A choice acts at once; what is written is searched when the writer is done. */
export function Filters({ filter, onFilter }: FiltersProps) {
  const t = useTexts(moneyTexts)
  const set = (change: Partial<Filter>) => onFilter({ ...filter, ...change })
  const isFiltered = Object.values(filter).some(value => value !== undefined)
  return (
    <form
      className={filters.filters}
      role="search"
      onSubmit={event => {
        event.preventDefault()
        const text = new FormData(event.currentTarget).get('search')
        set({ search: (typeof text === 'string' && text.trim()) || undefined })
      }}
    >
      <Search text={filter.search ?? ''} />
      <AgentChoice agent={filter.agent} onAgent={agent => set({ agent })} />
      <NativeSelect
        label={t.type}
        value={filter.type ?? ''}
        data={[{ value: '', label: t.allTypes }, ...TYPES.map(value => ({ value, label: t.types[value] }))]}
        onChange={event => set({ type: TYPES.find(type => type === event.currentTarget.value) })}
      />
      <TextInput
        type="date"
        label={t.from}
        value={filter.from ?? ''}
        onChange={event => set({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={t.to}
        value={filter.to ?? ''}
        onChange={event => set({ to: event.currentTarget.value || undefined })}
      />
      {isFiltered && (
        <Button variant="default" onClick={() => onFilter(NONE)}>
          {t.clear}
        </Button>
      )}
    </form>
  )
}

function Search({ text }: { readonly text: string }) {
  const t = useTexts(moneyTexts)
  const [written, write] = useState(text)
  return (
    <TextInput
      className={filters.wide ?? ''}
      type="search"
      name="search"
      label={t.search}
      placeholder={t.searchHint}
      leftSection={<Icon name="search" size={18} />}
      enterKeyHint="search"
      autoComplete="off"
      maxLength={100}
      value={written}
      onChange={event => write(event.currentTarget.value)}
      onBlur={event => {
        if (written.trim() !== text) event.currentTarget.form?.requestSubmit()
      }}
    />
  )
}

interface AgentChoiceProps {
  readonly agent: string | undefined
  readonly onAgent: (agent: string | undefined) => void
}

/** One of the agents; another one stays chosen when the address names it. */
function AgentChoice({ agent, onAgent }: AgentChoiceProps) {
  const t = useTexts(moneyTexts)
  const { agents, finder } = useAgentChoice()
  const options = agents.map(({ agent_id, name }) => ({ value: agent_id, label: name }))
  const isListed = agent === undefined || options.some(({ value }) => value === agent)
  return (
    <>
      {finder}
      <NativeSelect
        label={t.whichAgent}
        value={agent ?? ''}
        data={[
          { value: '', label: t.allAgents },
          ...(isListed ? [] : [{ value: agent, label: agent }]),
          ...options,
        ]}
        onChange={event => onAgent(event.currentTarget.value || undefined)}
      />
    </>
  )
}
