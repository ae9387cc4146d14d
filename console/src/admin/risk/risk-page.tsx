import type { RiskAlert } from '@batua/sdk'
import { Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { AgentLink, Named } from '../links.tsx'
import { given } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { riskTexts } from './texts.ts'
import { useFinding } from './use-finding.ts'

const route = getRouteApi('/admin/risk')

/** The findings of the risk rules. */
export function RiskPage() {
  const t = useTexts(riskTexts)
  const { offset = 0, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const alerts = useRead('listRiskAlerts', { ...given(filters), limit: 20, offset })
  const isFiltered = Object.keys(given(filters)).length > 0
  const columns = useColumns()
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <AlertFilters />
      <List
        query={alerts}
        loading={t.loading}
        rows={({ alerts: list }) => list}
        empty={
          isFiltered ? (
            <NothingFound icon="safety">{t.emptyOther}</NothingFound>
          ) : (
            <EmptyState
              icon="safety"
              title={t.emptyTitle}
              action={<NextStep to="/admin/checks">{t.toChecks}</NextStep>}
            >
              {t.empty}
            </EmptyState>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => (
          <DataTable label={t.title} columns={columns} rows={list} rowKey={({ alert_id }) => alert_id} />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<RiskAlert>[] {
  const t = useTexts(riskTexts)
  const common = useTexts(adminTexts)
  const { number } = useFormat()
  const finding = useFinding()
  return [
    {
      id: 'alert',
      name: t.alert,
      cell: alert => (
        <Named detail={finding(alert)}>
          <Link to="/admin/risk/$alertId" params={{ alertId: alert.alert_id }}>
            {t.rules[alert.rule]}
          </Link>
        </Named>
      ),
    },
    { id: 'subject', name: t.subject, cell: alert => <Subject alert={alert} /> },
    { id: 'severity', name: t.severity, cell: ({ severity }) => t.severities[severity] },
    { id: 'points', name: t.points, align: 'end', cell: ({ score }) => number(score) },
    { id: 'status', name: common.state, cell: ({ status }) => <Status is={status} /> },
    { id: 'opened', name: t.opened, cell: ({ created_at }) => <Moment at={created_at} /> },
  ]
}

/** Whom an alert is about: an agent, a platform, or the service. */
export function Subject({
  alert: { agent_id, platform_id },
}: {
  readonly alert: Pick<RiskAlert, 'agent_id' | 'platform_id'>
}) {
  const t = useTexts(riskTexts)
  if (agent_id !== null) return <AgentLink id={agent_id} />
  return platform_id ?? t.service
}

function AlertFilters() {
  const t = useTexts(riskTexts)
  const common = useTexts(adminTexts)
  const { status, rule, severity, agent_id } = route.useSearch()
  const navigate = route.useNavigate()
  const filterBy = (change: object) => {
    const search = given({ status, rule, severity, agent_id, ...change })
    return void navigate({ search })
  }
  return (
    <>
      {agent_id !== undefined && (
        <Text mb="md">
          {t.only(agent_id)} · <Link to="/admin/risk">{t.ofAll}</Link>
        </Text>
      )}
      <Filters>
        <SelectFilter
          label={common.state}
          all={common.all}
          value={status}
          options={t.states}
          onChange={chosen => filterBy({ status: chosen })}
        />
        <SelectFilter
          label={t.rule}
          all={common.all}
          value={rule}
          options={t.rules}
          onChange={chosen => filterBy({ rule: chosen })}
        />
        <SelectFilter
          label={t.severity}
          all={common.all}
          value={severity}
          options={t.severities}
          onChange={chosen => filterBy({ severity: chosen })}
        />
      </Filters>
    </>
  )
}
