import { getRouteApi } from '@tanstack/react-router'
import { AgentsPage } from '../agents/agents-page.tsx'

const route = getRouteApi('/owner/agents')

export function OwnerAgentsPage() {
  const navigate = route.useNavigate()
  return <AgentsPage search={route.useSearch()} onSearch={search => void navigate({ search })} />
}
