"""The queue: whose turn it is, who may wait in it and how long; and what is kept of jobs that have ended."""

import threading
import time
from dataclasses import replace

import pytest

from epstar.web.jobs import CANCELLED, Job, Kept, Outcome, failure
from epstar.web.limits import Limits
from epstar.web.question import EVERYBODY, Asker, Question, neighbourhood
from epstar.web.queue import Queue, TooManyJobs

SMALL = Limits(workers=1, queued_per_user=3, queued=4)
ROOMY = Limits(workers=1, queued_per_user=10, queued=20)
NOW = 0.0


def job(user: str = "a", question: str = "0", task: str = "solve", address: str = "here", is_known: bool = True) -> Job:
    """A job that asks a number."""
    return Job(Asker(user, address, is_known), Question.read(task, question))


def owners(queue: Queue, count: int) -> list[str]:
    """Whose jobs are taken next."""
    taken = [queue.take(NOW) for _ in range(count)]
    return [found.asker.identity for found in taken if found is not None]


def test_users_take_turns() -> None:
    queue = Queue(ROOMY)
    for owner in "aaab":
        queue.put(job(owner))
    assert owners(queue, 4) == ["a", "b", "a", "a"]


def test_addresses_take_turns_before_their_users_do() -> None:
    queue = Queue(ROOMY)
    for owner in "abcd":
        queue.put(job(owner, address="crowd"))
    queue.put(job("e", address="alone"))
    assert owners(queue, 5) == ["a", "e", "b", "c", "d"]


def test_who_sends_no_cookie_shares_one_turn_and_one_quota_with_all_who_send_none_from_there() -> None:
    queue = Queue(SMALL)
    for i in range(3):
        queue.put(job(f"new {i}", is_known=False))
    with pytest.raises(TooManyJobs, match="You have too many"):
        queue.put(job("new 3", is_known=False))
    queue.put(job("new 4", address="elsewhere", is_known=False))


def test_an_address_has_a_quota_however_many_users_it_claims_to_have() -> None:
    queue = Queue(replace(ROOMY, queued_per_address=5))
    for i in range(5):
        queue.put(job(str(i)))
    with pytest.raises(TooManyJobs, match="for your address"):
        queue.put(job("5"))
    queue.put(job("5", address="elsewhere"))


def test_what_waits_may_not_fill_the_memory() -> None:
    queue = Queue(replace(ROOMY, queued_bytes=100))
    first = job(question='"' + "a" * 60 + '"')
    queue.put(first)
    with pytest.raises(TooManyJobs, match="too much to compute"):
        queue.put(job("b", question='"' + "a" * 60 + '"'))
    first.finish(failure(422, "No."))
    queue.put(job("b", question='"' + "a" * 60 + '"'))


def test_an_address_holds_no_more_workers_than_it_may() -> None:
    queue = Queue(replace(ROOMY, workers=2, running_per_address=1))
    first, second = job("a", address="crowd"), job("b", address="crowd")
    queue.put(first)
    queue.put(second)
    assert queue.take(NOW) is first
    assert queue.take(NOW) is None
    other = job("c", address="alone")
    queue.put(other)
    assert queue.take(NOW) is other
    queue.release(first)
    assert queue.take(NOW) is second


@pytest.mark.parametrize(
    "marks",
    [
        [job("a", str(i), "breakpoints") for i in range(2)],
        [job("a", str(i), "curve") for i in range(2)],
        [job(str(i), is_known=False) for i in range(2)],
    ],
    ids=["marks", "curves", "strangers"],
)
def test_long_work_leaves_a_worker_free(marks: list[Job]) -> None:
    queue = Queue(replace(ROOMY, workers=2))
    for mark in marks:
        queue.put(mark)
    assert queue.take(NOW) is marks[0]
    assert queue.take(NOW) is None
    click = job("a", "click".join('""'))
    queue.put(click)
    assert queue.take(NOW) is click
    queue.release(marks[0])
    assert queue.take(NOW) is marks[1]


def test_a_job_that_could_not_be_begun_is_the_next_one() -> None:
    queue = Queue(replace(ROOMY, workers=2, running_per_address=1))
    for owner in "ab":
        queue.put(job(owner))
        queue.put(job(owner, task="breakpoints"))
    taken = queue.take(NOW)
    assert taken is not None
    assert owners(queue, 1) == []
    queue.put_back(taken)
    assert queue.take(NOW) is taken
    queue.release(taken)
    assert owners(queue, 1) == ["b"]


def test_what_only_adds_to_a_picture_gives_way_to_one_that_has_waited() -> None:
    queue = Queue(ROOMY)
    addition, picture = job(task="breakpoints"), job(task="curve", question="1")
    queue.put(addition)
    assert queue.take(NOW) is addition
    queue.put(picture)
    assert not queue.should_give_way(addition)
    picture.asked_at -= 60
    assert queue.should_give_way(addition)
    assert not queue.should_give_way(picture)
    queue.put_back(addition)
    assert [queue.take(NOW), queue.take(NOW)] == [picture, None]
    queue.release(picture)
    assert queue.take(NOW) is addition


def test_a_closed_queue_lets_go_of_those_who_wait() -> None:
    queue = Queue(SMALL)
    found: list[Job | None] = []
    waiting = threading.Thread(target=lambda: found.append(queue.take(3600)))
    waiting.start()
    assert queue.close() == []
    waiting.join(60)
    assert found == [None]


def test_finished_jobs_make_room_in_the_queue() -> None:
    queue = Queue(SMALL)
    jobs = [job(question=str(i)) for i in range(3)]
    for one in jobs:
        queue.put(one)
    with pytest.raises(TooManyJobs, match="You have too many"):
        queue.put(job(question="3"))
    jobs[0].finish(failure(422, "No."))
    queue.put(job(question="3"))


def test_a_job_that_waits_too_long_is_ended_with_a_sentence_and_never_run() -> None:
    queue = Queue(replace(ROOMY, waiting_seconds=100))
    early, late = job(question="1"), job(question="2")
    early.asked_at = time.monotonic() - 101
    queue.put(early)
    queue.put(late)
    queue.end_overdue()
    assert early.outcome == failure(503, "No worker was free for 100 seconds; try again later.")
    assert late.outcome is None
    assert queue.take(NOW) is late


def test_a_job_that_nobody_asks_about_is_cancelled_and_never_run() -> None:
    queue = Queue(replace(ROOMY, abandoned_seconds=100))
    left, kept, everybody = job(question="1"), job(question="2"), Job(EVERYBODY, Question.read("solve", "3"))
    for one in (left, kept, everybody):
        one.heard_until = time.monotonic() - 101
        queue.put(one)
    kept.listen(0.5)
    queue.end_overdue()
    assert left.outcome == CANCELLED
    assert kept.outcome is None
    assert everybody.outcome is None
    assert {queue.take(NOW), queue.take(NOW)} == {kept, everybody}


def test_a_job_is_ended_once_whoever_comes_first() -> None:
    one = job()
    one.finish(failure(503, "First."))
    one.finish(failure(500, "Second."))
    assert one.outcome == failure(503, "First.")
    assert one.question.text == ""


def test_results_are_forgotten_when_they_take_too_much_memory() -> None:
    kept = Kept(most_bytes=5000)
    jobs = [job(question=str(i)) for i in range(4)]
    for one in jobs:
        kept.add(one)
        one.finish(Outcome("done", 200, b"1" * 1000))
    assert [kept.find("a", one.identifier) is one for one in jobs] == [False, False, True, True]
    assert kept.same("a", Question.read("solve", "0")) is None
    assert kept.same("a", Question.read("solve", "3")) is jobs[3]
    assert kept.find("b", jobs[3].identifier) is None


def test_the_digest_is_the_same_for_the_same_question_and_for_no_other() -> None:
    asked = ['{"a": 1, "b": [0.5]}', '{"a": 1, "b": ["0.5"]}', '{"a": 1, "b": [["0.5"]]}', '{"a": 1, "b": {"0.5": 1}}']
    digests = {Question.read("solve", text).digest for text in asked}
    assert len(digests) == len(asked)
    assert Question.read("solve", '\n{"b":[0.5],"a":1}').digest == Question.read("solve", asked[0]).digest
    assert Question.read("solve", b"\xef\xbb\xbf" + asked[0].encode()).digest in digests
    assert Question.read("curve", asked[0]).digest not in digests


def test_addresses_that_anybody_has_many_of_count_as_one() -> None:
    assert neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff:1") != neighbourhood("2001:db8:0:1::1")
    assert neighbourhood("fe80::1%eth0") == "fe80::/64"
    assert neighbourhood("") == ""
