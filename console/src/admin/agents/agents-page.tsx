import type { Agent } from '@batua/sdk'
import { Button, Checkbox, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../../api/api.tsx'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from '../admin.module.css'
import { given, MOST_SELECTED } from '../search.ts'
import { useAgentColumns } from './agent-columns.tsx'
import { AgentSearch } from './agent-search.tsx'
import { Containment, type Named, type Result, Results } from './containment.tsx'
import { networkTexts } from './texts.ts'

const route = getRouteApi('/admin/agents')
const NONE: Named = new Map()

/** All agents of the network: find some, select some, stop or restore them. */
export function AgentsPage() {
  const t = useTexts(networkTexts)
  const { offset = 0, selected: ids, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const agents = useRead('listAgents', { ...given(filters), limit: 20, offset })
  const selected = useNamed(ids?.split(',') ?? [])
  const select = (next: Named) => {
    const chosen = [...next.keys()].slice(0, MOST_SELECTED).join(',')
    void navigate({
      search: search => ({ ...search, selected: chosen === '' ? undefined : chosen }),
      replace: true,
      resetScroll: false,
    })
  }
  const [done, setDone] = useState<{ results: readonly Result[]; names: Named } | null>(null)
  const isFiltered = Object.keys(given(filters)).length > 0
  const columns = useSelectable(selected, select)
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <AgentSearch
        search={filters}
        onSearch={search => void navigate({ search: { ...search, selected: ids } })}
      />
      <Stack gap="xl">
        {done !== null && <Results {...done} />}
        <div>
          <Toolbar page={agents.data?.agents ?? []} selected={selected} onSelect={select}>
            <Containment
              agents={selected}
              onDone={results => {
                setDone({ results, names: selected })
                select(NONE)
              }}
            />
          </Toolbar>
          <List
            query={agents}
            loading={t.loading}
            rows={({ agents: list }) => list}
            empty={
              isFiltered ? (
                <NothingFound icon="agents">{t.emptyOther}</NothingFound>
              ) : (
                <EmptyState
                  icon="agents"
                  title={t.emptyTitle}
                  action={<NextStep to="/admin/owners">{t.toOwners}</NextStep>}
                >
                  {t.empty}
                </EmptyState>
              )
            }
            onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
          >
            {list => (
              <DataTable label={t.title} columns={columns} rows={list} rowKey={({ agent_id }) => agent_id} />
            )}
          </List>
        </div>
      </Stack>
    </>
  )
}

type Select = (selected: Named) => void

/** The names of agents that some list of this console has shown; an agent of another list is called by its id. */
function useNamed(ids: readonly string[]): Named {
  const read = useQueryClient().getQueriesData<ResultOf<'listAgents'>>({ queryKey: ['admin', 'listAgents'] })
  const names = new Map(
    read.flatMap(([, data]) => data?.agents ?? []).map(({ agent_id, name }) => [agent_id, name] as const),
  )
  return new Map(ids.map(id => [id, names.get(id) ?? id]))
}

/** The columns of agents, the first with a box to select the row. */
function useSelectable(selected: Named, select: Select): readonly Column<Agent>[] {
  const t = useTexts(networkTexts)
  const [first, ...others] = useAgentColumns()
  if (first === undefined) return others
  const cell = (agent: Agent) => (
    <div className={classes.selectable}>
      <Checkbox
        size="md"
        aria-label={t.select(agent.name)}
        checked={selected.has(agent.agent_id)}
        disabled={!selected.has(agent.agent_id) && selected.size >= MOST_SELECTED}
        onChange={event =>
          select(event.currentTarget.checked ? withAll(selected, [agent]) : without(selected, agent))
        }
      />
      {first.cell(agent)}
    </div>
  )
  return [{ ...first, cell }, ...others]
}

function withAll(selected: Named, agents: readonly Agent[]): Named {
  return new Map([...selected, ...agents.map(({ agent_id, name }) => [agent_id, name] as const)])
}

function without(selected: Named, { agent_id }: Agent): Named {
  return new Map([...selected].filter(([id]) => id !== agent_id))
}

interface ToolbarProps {
  readonly page: readonly Agent[]
  readonly selected: Named
  readonly onSelect: Select
  /** What can be done with the selected ones. */
  readonly children: React.ReactNode
}

function Toolbar({ page, selected, onSelect, children }: ToolbarProps) {
  const t = useTexts(networkTexts)
  const isAll = page.length > 0 && page.every(({ agent_id }) => selected.has(agent_id))
  if (page.length === 0 && selected.size === 0) return null
  return (
    <div className={classes.toolbar}>
      <div className={classes.lead} role="status">
        {selected.size === 0 ? (
          <Button variant="default" size="sm" onClick={() => onSelect(withAll(selected, page))}>
            {t.selectPage}
          </Button>
        ) : (
          <>
            {t.selected(selected.size)}
            {!isAll && (
              <Button variant="default" size="sm" onClick={() => onSelect(withAll(selected, page))}>
                {t.selectPage}
              </Button>
            )}
            <Button variant="default" size="sm" onClick={() => onSelect(NONE)}>
              {t.unselect}
            </Button>
          </>
        )}
      </div>
      {selected.size > 0 && children}
    </div>
  )
}
