import { getRouteApi } from '@tanstack/react-router'
import { AgentsPage } from '../agents/agents-page.tsx'
import { CreateAgent } from './create-agent.tsx'

const route = getRouteApi('/platform/agents')

export function PlatformAgentsPage() {
  const navigate = route.useNavigate()
  return (
    <AgentsPage
      search={route.useSearch()}
      onSearch={search => void navigate({ search })}
      create={<CreateAgent />}
    />
  )
}
