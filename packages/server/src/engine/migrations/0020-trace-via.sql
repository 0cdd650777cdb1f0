-- via lists the homes of the subscriptions whose deliveries led to the commit, separated by commas; NULL for none. The trace
-- suppresses runs of these homes alone.
alter table run add column via {text};
alter table outbox add column via {text};
