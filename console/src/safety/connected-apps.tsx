import { Button, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Copy } from '../components/copy.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { Pages } from '../components/pages.tsx'
import { SectionTitle } from '../components/section-title.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import { appTexts } from './app-texts.ts'

type App = ResultOf<'listConnectedApps'>['connected_apps'][number]

const route = getRouteApi('/owner/safety')

/** The assistants that act for the owner's agents, each to be disconnected. */
export function ConnectedApps() {
  const t = useTexts(appTexts)
  const { apps: offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const apps = useRead('listConnectedApps', { limit: 20, offset })
  const [asking, ask] = useState<App | null>(null)
  return (
    <Stack>
      <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
      <Loaded query={apps} loading={t.loading} offsetIn="apps">
        {({ connected_apps: list, pagination }) => (
          <>
            <Card flush={pagination.total > 0}>
              {pagination.total === 0 ? (
                <EmptyState
                  title={t.none}
                  icon="agents"
                  action={<Copy what={t.address} text={`${location.origin}/mcp`} />}
                >
                  {t.noneHint}
                </EmptyState>
              ) : (
                <AppTable apps={list} onEnd={ask} />
              )}
            </Card>
            <Pages
              pagination={pagination}
              onOffset={next =>
                void navigate({ search: search => ({ ...search, apps: next }), resetScroll: false })
              }
            />
          </>
        )}
      </Loaded>
      {asking !== null && <EndApp app={asking} onClose={() => ask(null)} />}
    </Stack>
  )
}

interface AppTableProps {
  readonly apps: readonly App[]
  readonly onEnd: (app: App) => void
}

function AppTable({ apps, onEnd }: AppTableProps) {
  const t = useTexts(appTexts)
  const columns: readonly Column<App>[] = [
    { id: 'app', name: t.app, cell: app => <Named app={app} /> },
    { id: 'acts', name: t.acts, cell: ({ agent_name }) => agent_name },
    { id: 'cap', name: t.cap, cell: app => <Spent app={app} /> },
    {
      id: 'used',
      name: t.used,
      cell: ({ last_used_at: at }) => (at === null ? t.never : <Moment at={at} />),
    },
    { id: 'ends', name: t.ends, cell: ({ expires_at }) => <Moment at={expires_at} /> },
    {
      id: 'act',
      name: t.act,
      align: 'end',
      cell: app => (
        <Button size="sm" variant="default" aria-label={t.endOne(app.name)} onClick={() => onEnd(app)}>
          {t.end}
        </Button>
      ),
    },
  ]
  return <DataTable label={t.title} columns={columns} rows={apps} rowKey={({ app_id }) => app_id} />
}

/** Its name, which nobody has verified, and the host that publishes it, where there is one. */
function Named({ app: { name, client_id } }: { readonly app: App }) {
  const url = URL.parse(client_id)
  return (
    <Stack gap={0}>
      <Text fw={600}>{name}</Text>
      {url !== null && (
        <Text size="sm" c="dimmed">
          {url.host}
        </Text>
      )}
    </Stack>
  )
}

function Spent({ app: { scopes, spent_today, daily } }: { readonly app: App }) {
  const t = useTexts(appTexts)
  const format = useFormat()
  if (scopes.every(scope => scope === 'wallet:read')) return t.readsOnly
  return <span className="figures">{t.of(format.amount(spent_today), format.amount(daily))}</span>
}

function EndApp({ app: { app_id, name }, onClose }: { readonly app: App; readonly onClose: () => void }) {
  const t = useTexts(appTexts)
  const end = useAct('endConnectedApp', {
    onDone() {
      onClose()
      sayDone(t.ended)
    },
  })
  return (
    <Confirm
      opened
      title={t.endOne(name)}
      act={t.end}
      danger
      acting={end.isPending}
      error={end.error}
      onAct={() => end.mutate({ app_id })}
      onClose={onClose}
    >
      <Text>{t.endText(name)}</Text>
    </Confirm>
  )
}
