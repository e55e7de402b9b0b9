//! Running all tests of a problem over the places, and judging their outputs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::checker::Checker;
use crate::error::Error;
use crate::limits::Limits;
use crate::run::{Program, Record};
use crate::sandbox::Sandbox;
use crate::termination::Termination;

/// Decides whether an output is right.
#[derive(Debug, Clone)]
pub enum Judge {
    /// By comparing it with the expected one.
    Comparing(Checker),
    /// By running an output validator of the ICPC problem package format.
    Special {
        /// Where the validator runs.
        sandbox: Arc<Sandbox>,
        /// The validator and its arguments.
        argv: Vec<Vec<u8>>,
        /// Its limits.
        limits: Limits,
    },
}

const ACCEPT: Termination = Termination::Exited(42);
const REJECT: Termination = Termination::Exited(43);
/// Of what a validator says, in an error message.
const SAID_BYTES: usize = 500;

impl Judge {
    /// Whether the output is right. To be asked without holding a place, since a validator needs one.
    pub fn accepts(&self, stdin: &[u8], expected: &[u8], output: &[u8]) -> Result<bool, Error> {
        let (sandbox, argv, limits) = match self {
            Self::Comparing(checker) => return Ok(checker.accepts(expected, output)),
            Self::Special { sandbox, argv, limits } => (sandbox, argv, limits),
        };
        let files = [("input".to_owned(), stdin), ("expected".to_owned(), expected)];
        let paths = files.iter().map(|(name, _)| format!("/work/{name}").into_bytes());
        let argv: Vec<Vec<u8>> = argv.iter().cloned().chain(paths).collect();
        let program =
            Program { argv: &argv, limits, stdin: output, files: &files, collect: &[], channel: None };
        let record = sandbox.run(&program)?;
        match record.termination {
            ACCEPT => Ok(true),
            REJECT => Ok(false),
            other => Err(Error::Service(format!(
                "the output validator {} neither accepted (exit code 42) nor rejected (43) but ended with {other:?}; \
                 it said: {}",
                String::from_utf8_lossy(&argv[0]),
                String::from_utf8_lossy(&record.stderr[..record.stderr.len().min(SAID_BYTES)])
            ))),
        }
    }
}

/// A test of a problem.
pub trait Case: Sync {
    /// What the program reads.
    fn stdin(&self) -> &[u8];
    /// What it should write.
    fn expected(&self) -> &[u8];
}

/// How to run the tests.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// Path and arguments.
    pub argv: &'a [Vec<u8>],
    /// Of each test.
    pub limits: &'a Limits,
    /// Who decides.
    pub judge: &'a Judge,
    /// Begin no test after one failed.
    pub stop_at_first_failure: bool,
    /// Keep the standard output of each test.
    pub keep_output: bool,
}

/// What came of a test.
#[derive(Debug)]
pub struct Outcome {
    /// Which test.
    pub index: usize,
    /// Its run.
    pub record: Record,
    /// Exit code 0, within limits, right output.
    pub accepted: bool,
}

/// Runs the tests, as many at once as there are places, begun in order; outcomes are in order too.
pub fn run_tests<C: Case>(
    sandbox: &Arc<Sandbox>,
    cases: &[C],
    plan: &Plan<'_>,
) -> Result<Vec<Outcome>, Error> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let results: Mutex<Vec<Result<Outcome, Error>>> = Mutex::new(Vec::with_capacity(cases.len()));
    let work = || {
        while !stop.load(Ordering::SeqCst) {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(case) = cases.get(index) else { return };
            let result = run_test(sandbox, index, case, plan);
            if result.as_ref().map_or(true, |outcome| plan.stop_at_first_failure && !outcome.accepted) {
                stop.store(true, Ordering::SeqCst);
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
        }
    };
    let workers = sandbox.slots().count().min(cases.len());
    thread::scope(|scope| {
        // This thread is one of them: a problem of one test starts none.
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut outcomes = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    outcomes.sort_by_key(|outcome| outcome.index);
    Ok(outcomes)
}

fn run_test<C: Case>(
    sandbox: &Arc<Sandbox>,
    index: usize,
    case: &C,
    plan: &Plan<'_>,
) -> Result<Outcome, Error> {
    let program = Program {
        argv: plan.argv,
        limits: plan.limits,
        stdin: case.stdin(),
        files: &[],
        collect: &[],
        channel: None,
    };
    let mut record = sandbox.run(&program)?;
    let accepted = record.termination == Termination::Exited(0)
        && plan.judge.accepts(case.stdin(), case.expected(), &record.stdout)?;
    if !plan.keep_output {
        record.stdout = Vec::new();
    }
    Ok(Outcome { index, record, accepted })
}
