-- An agent may ask for its owner's approval of a payment that no threshold requires it for.
alter table approvals drop constraint approvals_rule_check;
alter table approvals add constraint approvals_rule_check
  check (rule in ('require_human_approval_above', 'require_approval'));
