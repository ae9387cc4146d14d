import { Button, Group, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { agentTexts } from '../../agents/agent-texts.ts'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useIsPhone } from '../../components/use-is-phone.ts'
import { useTexts } from '../../language/language.tsx'
import classes from '../parts.module.css'
import { AgentFilter } from '../parts.tsx'
import { paymentsTexts } from './texts.ts'

const route = getRouteApi('/platform/payments')
const TYPES = ['pay_out', 'pay_in', 'fund', 'withdraw', 'settlement'] as const
const STATUSES = ['pending', 'completed', 'failed', 'reversed'] as const

/** On a phone they are closed until one of them is set, so that the list is seen. */
export function PaymentFilters() {
  const t = useTexts(paymentsTexts)
  const isPhone = useIsPhone()
  const { offset: _page, ...search } = route.useSearch()
  const isFiltered = Object.values(search).some(filter => filter !== undefined)
  return (
    <details className={classes.more} open={!isPhone || isFiltered}>
      <summary hidden={!isPhone}>{t.filters}</summary>
      <Fields />
    </details>
  )
}

/** Choices hold at once; what is written holds when it is sent. */
function Fields() {
  const t = useTexts(paymentsTexts)
  const { status: statusName } = useTexts(agentTexts)
  const { status: statuses } = useTexts(componentTexts)
  const { offset: _first, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const { reference = '', from = '', to = '' } = search
  const [written, write] = useState({ reference, from, to })
  const show = (change: Partial<typeof search>) => void navigate({ search: { ...search, ...change } })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        show({
          reference: written.reference === '' ? undefined : written.reference,
          from: written.from === '' ? undefined : written.from,
          to: written.to === '' ? undefined : written.to,
        })
      }}
    >
      <Filters>
        <AgentFilter value={search.agent} onChange={agent => show({ agent })} />
        <SelectFilter
          label={t.type}
          all={t.allTypes}
          value={search.type}
          options={TYPES.map(type => [type, t.types[type]])}
          onChange={type => show({ type })}
        />
        <SelectFilter
          label={statusName}
          all={t.allStatuses}
          value={search.status}
          options={STATUSES.map(status => [status, statuses[status]])}
          onChange={status => show({ status })}
        />
        <TextInput
          label={t.reference}
          autoComplete="off"
          value={written.reference}
          onChange={event => write({ ...written, reference: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t.from}
          value={written.from}
          onChange={event => write({ ...written, from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t.to}
          value={written.to}
          onChange={event => write({ ...written, to: event.currentTarget.value })}
        />
      </Filters>
      <Group gap="sm" mb="md">
        <Button type="submit">{t.show}</Button>
        <Button
          variant="default"
          onClick={() => {
            write({ reference: '', from: '', to: '' })
            void navigate({ search: {} })
          }}
        >
          {t.clear}
        </Button>
      </Group>
    </form>
  )
}
