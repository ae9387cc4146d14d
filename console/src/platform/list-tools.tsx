import { Button, CloseButton, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callOperation, type InputOf, useClient, useSession } from '../api/api.tsx'
import { Confirm } from '../components/confirm.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { saveFile } from '../components/save-file.ts'
import { useTextFields } from '../components/text-fields.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import { csvOf } from './csv.ts'
import { listToolsTexts } from './list-tools-texts.ts'
import { readViews, type SavedView, writeViews } from './saved-views.ts'

const MOST_ROWS = 5_000

/** The lists that can be downloaded, with the name of their rows. */
const ROWS = {
  listPlatformTransactions: 'transactions',
  listEscrows: 'escrows',
  listWebhookDeliveries: 'deliveries',
  listEvents: 'events',
} as const

type ListOperation = keyof typeof ROWS

interface ListToolsProps<Name extends ListOperation> {
  readonly operation: Name
  /** What the list shows, without its page. */
  readonly filter: Omit<InputOf<Name>, 'limit' | 'offset' | 'cursor'>
  /** The same as the address has it. */
  readonly search: object
}

/** Keeps the filters of a list as a view of this browser, and downloads what they select. */
export function ListTools<Name extends ListOperation>({ operation, filter, search }: ListToolsProps<Name>) {
  return (
    <Group gap="sm" mb="md" justify="space-between" align="start">
      <SavedViews list={operation} search={search} />
      <DownloadCsv operation={operation} filter={filter} />
    </Group>
  )
}

interface Page {
  readonly pagination: { readonly total: number; readonly next_cursor?: string }
}

function DownloadCsv<Name extends ListOperation>({
  operation,
  filter,
}: Pick<ListToolsProps<Name>, 'operation' | 'filter'>) {
  const t = useTexts(listToolsTexts)
  const client = useClient()
  const session = useSession()
  const plural = ROWS[operation]
  const download = useMutation({
    async mutationFn() {
      const rows: object[] = []
      let page: Page | undefined
      do {
        const after = page?.pagination.next_cursor
        const input = { ...filter, limit: 100, ...(after !== undefined && { cursor: after }) }
        page = await callOperation(client, operation, input as InputOf<Name>, {})
        rows.push(...((page as unknown as Record<string, object[]>)[plural] ?? []))
      } while (page.pagination.next_cursor !== undefined && rows.length < MOST_ROWS)
      // Excel reads the text as UTF-8 because of the byte order mark at the beginning.
      saveFile(new Blob([`\u{feff}${csvOf(rows)}`], { type: 'text/csv' }), `${plural}.csv`)
      sayDone(
        rows.length < page.pagination.total
          ? t.newest(rows.length, page.pagination.total)
          : t.isDownloaded(rows.length),
      )
    },
    meta: { session },
  })
  return (
    <div>
      <Button size="sm" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        {t.download}
      </Button>
      {download.error !== null && <ErrorNotice error={download.error} />}
    </div>
  )
}

function SavedViews({ list, search }: { readonly list: ListOperation; readonly search: object }) {
  const t = useTexts(listToolsTexts)
  const [views, setViews] = useState(() => readViews(list))
  const [isAsked, ask] = useState(false)
  const keep = (next: readonly SavedView[]) => setViews(writeViews(list, next))
  const isFiltered = Object.values(search).some(value => value !== undefined)
  return (
    <Group gap="xs">
      {views.length > 0 && (
        <Text size="sm" c="dimmed">
          {t.views}
        </Text>
      )}
      {views.map(view => (
        <Group key={view.name} gap={0} wrap="nowrap">
          <Link to="." search={view.search as never}>
            {view.name}
          </Link>
          <CloseButton
            size="md"
            aria-label={t.remove(view.name)}
            onClick={() => {
              keep(views.filter(({ name }) => name !== view.name))
              sayDone(t.isRemoved(view.name), () => keep(views))
            }}
          />
        </Group>
      ))}
      {isFiltered && (
        <Button size="sm" variant="default" onClick={() => ask(true)}>
          {t.save}
        </Button>
      )}
      {isAsked && (
        <NameView
          onName={name => {
            keep([...views.filter(view => view.name !== name), { name, search }])
            ask(false)
            sayDone(t.isSaved(name))
          }}
          onClose={() => ask(false)}
        />
      )}
    </Group>
  )
}

interface NameViewProps {
  readonly onName: (name: string) => void
  readonly onClose: () => void
}

function NameView({ onName, onClose }: NameViewProps) {
  const t = useTexts(listToolsTexts)
  const { values, check, inputs } = useTextFields({
    name: { label: t.name, wrong: text => (text === '' || text.length > 60) && t.nameWrong },
  })
  return (
    <Confirm
      opened
      title={t.save}
      act={t.save}
      acting={false}
      error={null}
      onAct={() => {
        if (check()) onName(values.name)
      }}
      onClose={onClose}
    >
      <Text>{t.saveHint}</Text>
      {inputs}
    </Confirm>
  )
}
